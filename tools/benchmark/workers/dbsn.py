"""Training steps of `DBSN`: one structure is drawn, operations run grouped."""

import keras

from bdlzoo import methods, networks
from tools.benchmark.workers import keras_steps, protocol, training

# The published cell by itself, and a small network for 28 x 28 pixels.
SIZES = {"cell": dict(stages=(1,), num_nodes=7, growth=16, stem=32),
         "fashion": dict(stages=(2, 2), num_nodes=4, growth=8, stem=16, stem_stride=2)}


def arguments(mode, steps):
    """Arguments of `compile`, the same for all networks of cells."""
    return {**keras_steps.compile_arguments(mode, steps),
            "optimizer": keras.optimizers.SGD(0.01, momentum=0.9)}


def model(workload, **kwargs):
    network = networks.CellCNN(training.SHAPES[workload], **SIZES[workload])
    return methods.DBSN(network, num_data=training.NUM_DATA, seed=0, **kwargs)


def prepare(workload, mode, steps):
    drawn = model(workload)
    drawn.compile(metrics=[], **arguments(mode, steps))
    return keras_steps.steps_of(drawn, workload, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
