"""Small tables, and estimators that train on them in a second."""

import numpy as np

from bdlzoo.sklearn import Classifier, Regressor

NETWORK = {"type": "MLP", "hidden": (16,), "dropout": 0.2}
X = np.random.default_rng(0).normal(size=(48, 3)).astype("float32")
NUMBERS = X @ [1.0, -2.0, 0.5] + 0.1 * X[:, 0] ** 2
NAMES = np.where(NUMBERS > 0, "high", "low")


def classifier(**options):
    """A quick classifier with masks."""
    return Classifier(**{"network": NETWORK, "epochs": 4, "num_samples": 4,
                         "random_state": 0, **options})


def regressor(**options):
    """A quick regressor with masks."""
    return Regressor(**{"network": NETWORK, "epochs": 4, "num_samples": 4,
                        "random_state": 0, **options})
