"""Training steps on batches in memory: the best that a pipeline could reach."""

import tensorflow as tf

from bdlzoo import methods, networks
from tools.benchmark.workers import keras_steps, protocol, training


def steps_on(workload, mode, steps, data):
    """Returns a callable that trains `steps` steps on a dataset of batches."""
    make = {"mlp": networks.MLP, "lenet": networks.LeNet}[workload]
    model = methods.Deterministic(make(training.SHAPES[workload]),
                                  num_data=training.NUM_DATA, seed=0)
    model.compile(metrics=[], **keras_steps.compile_arguments(mode, steps))
    model.fit(data, steps_per_epoch=int(steps), verbose=0)
    iterator = iter(data)
    return lambda: model.train_function(iterator)


def prepare(workload, mode, steps):
    x, y = training.batches(workload)
    batch = tf.data.Dataset.from_tensors((x[0], y[0])).cache().repeat()
    return steps_on(workload, mode, steps, batch)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
