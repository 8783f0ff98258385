"""The plain Keras network, without any noise."""

import keras

from bdlzoo import networks
from tools.peers import keras_steps, protocol, training


def prepare(workload, mode, steps):
    make = {"mlp": networks.MLP, "lenet": networks.LeNet}[workload]
    network = make(training.SHAPES[workload])
    network.compile(
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        **keras_steps.compile_arguments(mode, steps))
    return keras_steps.steps_of(network, workload, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
