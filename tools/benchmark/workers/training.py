"""The task of the step benchmarks: sizes, and random batches in memory."""

import numpy as np

NUM_DATA = 60_000  # The KL divergence is divided by it.
NUM_BATCHES = 8
BATCH_SIZE = 128
SHAPES = {"mlp": (784,), "lenet": (28, 28, 1), "lenet64": (28, 28, 1),
          "cell": (8, 8, 3), "fashion": (28, 28, 1), "resnet20": (32, 32, 3),
          "wong_kolter": (28, 28, 1), "trades": (28, 28, 1)}
BATCH_SIZES = {"lenet64": 64, "resnet20": 32}  # Of the tasks that differ.


def batches(workload):
    """Inputs `[batches, rows, ...]` and labels `[batches, rows]`."""
    random = np.random.default_rng(0)
    size = (NUM_BATCHES, BATCH_SIZES.get(workload, BATCH_SIZE))
    x = random.normal(size=(*size, *SHAPES[workload])).astype("float32")
    return x, random.integers(10, size=size)


def images(count):
    """Images `[count, 28, 28, 1]` to predict."""
    random = np.random.default_rng(0)
    return random.normal(size=(count, *SHAPES["lenet"])).astype("float32")
