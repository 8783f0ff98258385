"""Steps of plain Keras SGD on the network of the samplers."""

import keras

from tools.benchmark.workers import keras_steps, protocol, sgld


def prepare(workload, mode, steps):
    del workload  # One network, for every workload.
    network = sgld.network()
    network.compile(
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        **{**keras_steps.compile_arguments(mode, steps),
           "optimizer": keras.optimizers.SGD(sgld.RATE)})
    return keras_steps.steps_of(network, "mlp", steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
