"""All operations of cells, built on random nodes with random weights."""

import numpy as np

from bdlzoo.layers.cell_operations import FLAT, IMAGES

GROUPS, WIDTH = 3, 4
OPERATIONS = {**{f"flat {name}": kind for name, kind in FLAT.items()}, **IMAGES}
RNG = np.random.default_rng(0)
IMAGE = RNG.normal(size=(2, 5, 6, GROUPS * WIDTH)).astype("float32")


def nodes_of(name):
    return IMAGE[:, 0, 0] if name.startswith("flat") else IMAGE


def make(name, x):
    operation = OPERATIONS[name](GROUPS)
    operation.build((x.shape, (GROUPS,)))
    for weight in operation.weights:  # No weight keeps its start: each must be used.
        weight.assign(RNG.uniform(0.2, 1.0, weight.shape))
    return operation


def reach(operation):
    """Rows and columns of the pixels that a change of the middle pixel reaches."""
    x = np.zeros((1, 9, 9, GROUPS * WIDTH), "float32")
    lit = x.copy()
    lit[0, 4, 4] = 1.0
    change = np.abs(operation.outputs(lit) - operation.outputs(x))[0]
    return np.nonzero(change.max(-1))
