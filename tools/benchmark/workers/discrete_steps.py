"""Training steps of VAEs with one network of 300 units on each side."""

import numpy as np
import tensorflow as tf

from bdlzoo import methods, networks
from tools.benchmark.workers import keras_steps, protocol, training

_UNITS, _VALUES, _BATCH = 300, 10, 100


def model_of(subject):
    """The model of a subject: a VAE, or a discrete one with an estimator."""
    pixels = 784
    if subject == "vae":
        # Its code has as many numbers as the other has values.
        return methods.VAE(networks.MLP((pixels,), (_UNITS,), 2 * _VALUES),
                           networks.MLP((_VALUES,), (_UNITS,), pixels), seed=0)
    return methods.DiscreteVAE(
        networks.MLP((pixels,), (_UNITS,), _VALUES),
        networks.MLP((_VALUES,), (_UNITS,), pixels), 1, _VALUES,
        {"direct": "direct_optimization", "exact": "exact"}[subject], seed=0)


def prepare(subject, workload, mode, steps):
    del workload
    model = model_of(subject)
    model.compile(**keras_steps.compile_arguments(mode, steps))
    rows = np.random.default_rng(0).integers(
        2, size=(training.NUM_BATCHES, _BATCH, 784)).astype("float32")
    data = tf.data.Dataset.from_tensor_slices(rows).repeat()
    model.fit(data, steps_per_epoch=int(steps), verbose=0,
              num_data=training.NUM_DATA)
    iterator = iter(data)
    return lambda: model.train_function(iterator)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
