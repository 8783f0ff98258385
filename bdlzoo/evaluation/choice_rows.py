"""Rows of a choice among models: for training, the decision, and the figures."""

import numpy as np

from bdlzoo.core import noise
from bdlzoo.evaluation.choice import Rows
from bdlzoo.evaluation.outside_sets import outside_sets

_NOISE = 2.0  # Standard deviations of the inputs.


def choice_rows(train, validation, test, outside=None, seed=0):
    """Makes `Rows` of the splits of a set.

    Args:
        train: `Split`.
        validation: `Split`; one half fits temperatures, the other decides.
        test: `Split`.
        outside: Name of a set of other inputs, as in `outside_sets`; `None` makes a
            noisy copy of the test rows, with noise of two standard deviations.
        seed: Integer, seed of the noise.
    """
    x = np.asarray(test.x, "float32")
    if len(validation.x) < 4:
        raise ValueError("Expected at least four validation rows. Received: "
                         f"{len(validation.x)}")
    if outside is None:
        normal = noise.normal(x.shape, noise.key(seed, noise.OUTSIDE, 4)).numpy()
        others = x + _NOISE * np.std(train.x, dtype="float32") * normal
    else:
        others = outside_sets([outside], x, seed=seed)[outside]
    half = len(validation.x) // 2
    parts = [(split.x[some], split.y[some]) for split, some in (
        (train, slice(None)), (validation, slice(half)),
        (validation, slice(half, None)), (test, slice(None)))]
    return Rows(*parts, others)
