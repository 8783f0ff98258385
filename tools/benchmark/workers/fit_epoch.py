"""`fit` on arrays for a few epochs, with its checks, callbacks and logs."""

import numpy as np

from bdlzoo import methods, networks
from tools.benchmark.workers import protocol, training

EPOCHS = 5
HIDDEN = {"small": (50,), "mlp": (400, 400)}


def rows(steps):
    """Random rows for this many batches in all epochs, and their classes."""
    random = np.random.default_rng(0)
    size = max(1, int(steps) // EPOCHS) * training.BATCH_SIZE
    x = random.random((size, *training.SHAPES["mlp"]), "float32")
    return x, random.integers(10, size=size)


def prepare(workload, mode, steps):
    network = networks.MLP(training.SHAPES["mlp"], HIDDEN[workload])
    model = methods.Deterministic(network, seed=0)
    model.compile("adam", ["accuracy"], jit_compile=mode == "xla")
    x, y = rows(steps)
    return lambda: model.fit(x, y, batch_size=training.BATCH_SIZE, epochs=EPOCHS,
                             verbose=0)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
