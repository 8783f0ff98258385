"""An epoch of `fit` on arrays, with its callbacks and logs."""

import numpy as np

from bdlzoo import methods, networks
from tools.peers import protocol, training

HIDDEN = {"small": (50,), "mlp": (400, 400)}


def rows(steps):
    """Random rows for so many batches, and their classes."""
    random, size = np.random.default_rng(0), int(steps) * training.BATCH_SIZE
    x = random.random((size, *training.SHAPES["mlp"]), "float32")
    return x, random.integers(10, size=size)


def prepare(workload, mode, steps):
    network = networks.MLP(training.SHAPES["mlp"], HIDDEN[workload])
    model = methods.Deterministic(network, seed=0)
    model.compile("adam", ["accuracy"], jit_compile=mode == "xla")
    x, y = rows(steps)
    return lambda: model.fit(x, y, batch_size=training.BATCH_SIZE, verbose=0)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
