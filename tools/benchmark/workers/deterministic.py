"""Training steps of a plain Keras network, without noise."""

import keras

from bdlzoo import networks
from tools.benchmark.workers import keras_steps, protocol, training


def prepare(workload, mode, steps):
    task, *predicts = workload.split("_")
    make = networks.MLP if task == "mlp" else networks.LeNet
    network = make(training.SHAPES[task])
    network.compile(
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        **keras_steps.compile_arguments(mode, steps))
    if predicts:
        return keras_steps.predictions_of(network, task, steps)
    return keras_steps.steps_of(network, task, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
