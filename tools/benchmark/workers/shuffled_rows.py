"""Training steps on the pipeline that `fit` makes of arrays, with shuffled rows."""

import numpy as np

from bdlzoo.data.epochs import epochs
from tools.benchmark.workers import protocol, ready_batches, training


def prepare(workload, mode, steps):
    random = np.random.default_rng(0)
    x = random.random((training.NUM_DATA, *training.SHAPES[workload]), "float32")
    y = random.integers(10, size=training.NUM_DATA)
    data = epochs(x, y, batch_size=training.BATCH_SIZE, drop_remainder=True)
    return ready_batches.steps_on(workload, mode, steps, data)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
