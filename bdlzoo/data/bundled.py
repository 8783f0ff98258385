"""Data sets that need no download: tables of scikit-learn, and toy problems.

    moons       two half circles with Gaussian noise
    sine        y = sin(1.5 x) + scale(x) eps on [-4, -1] and [1, 4], where
                scale(x) = 0.05 + 0.3 (x + 4) / 8 and eps ~ N(0, 1)
    binary_toy  P(y = 1) = sigmoid(3 x) on [-3, 3]

A model should be uncertain in the gap of `sine`, and outside of the range of every
toy problem.
"""

import numbers

import numpy as np

from bdlzoo.data.split import Split, choose, deal, standardise

_TEST = 0.2  # Share of the test rows in a table without a test set.


def load(name, split, seed, validation, **options):
    """Returns one split of the set `name`."""
    splits, _, _ = _SETS[name](seed, validation, **options)
    return choose(splits, split, name)


def describe(name, seed, validation, **options):
    """Returns the shape of an input, number of classes, and scale of targets."""
    splits, num_classes, scale = _SETS[name](seed, validation, **options)
    return splits["train"].x.shape[1:], num_classes, scale


def available():
    """What the sets are, by name."""
    return dict(_ABOUT)


def class_names(name):
    """Returns the names of the classes, or `None` if they have only numbers."""
    return ("malignant", "benign") if name == "breast_cancer" else None


def _digits(seed, validation):
    from sklearn import datasets
    table = datasets.load_digits()
    x = (table.images[..., None] / 16).astype("float32")
    rows = deal(len(x), seed, validation, _TEST)
    return _cut(x, table.target.astype("int32"), rows), 10, None


def _breast_cancer(seed, validation):
    from sklearn import datasets
    table = datasets.load_breast_cancer()
    rows = deal(len(table.data), seed, validation, _TEST)
    x, _ = standardise(table.data, rows["train"])
    return _cut(x, table.target.astype("int32"), rows), 2, None


def _diabetes(seed, validation, standardise_targets=True):
    from sklearn import datasets
    table = datasets.load_diabetes(scaled=False)
    rows = deal(len(table.data), seed, validation, _TEST)
    x, _ = standardise(table.data, rows["train"])
    y, scale = table.target.astype("float32"), None
    if standardise_targets:
        y, (mean, std) = standardise(table.target, rows["train"])
        scale = float(mean), float(std)
    return _cut(x, y, rows), None, scale


def _moons(seed, validation, num_train=512, num_test=512, noise=0.1):
    if noise < 0:
        raise ValueError(
            f"Expected a standard deviation >= 0. Received: noise={noise!r}")

    def draw(rng, count):
        y = rng.permutation(np.arange(count) % 2)
        angle = rng.uniform(0.0, np.pi, count)
        upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        lower = np.array([1.0, 0.5]) - upper
        x = np.where(y[:, None] == 0, upper, lower)
        return x + noise * rng.normal(size=x.shape), y.astype("int32")
    return _toy(draw, seed, validation, num_train, num_test), 2, None


def _sine(seed, validation, num_train=256, num_test=512):
    def draw(rng, count):
        side = rng.choice([-1.0, 1.0], count)
        x = side * rng.uniform(1.0, 4.0, count)
        scale = 0.05 + 0.3 * (x + 4.0) / 8.0
        y = np.sin(1.5 * x) + scale * rng.normal(size=count)
        return x[:, None], y.astype("float32")
    return _toy(draw, seed, validation, num_train, num_test), None, None


def _binary_toy(seed, validation, num_train=256, num_test=512):
    def draw(rng, count):
        x = rng.uniform(-3.0, 3.0, count)
        y = rng.uniform(size=count) < 1.0 / (1.0 + np.exp(-3.0 * x))
        return x[:, None], y.astype("int32")
    return _toy(draw, seed, validation, num_train, num_test), 2, None


def _toy(draw, seed, validation, num_train, num_test):
    for key, count in {"num_train": num_train, "num_test": num_test}.items():
        if not isinstance(count, numbers.Integral) or count < 1:
            raise ValueError(
                f"Expected a positive integer. Received: {key}={count!r}")
    rows = deal(num_train, seed, validation)
    # Two streams, so that the size of one set does not change the other.
    train, test = (draw(np.random.default_rng([seed, stream]), count)
                   for stream, count in ((1, num_train), (2, num_test)))
    splits = _cut(train[0].astype("float32"), train[1], rows)
    return {**splits, "test": Split(test[0].astype("float32"), test[1])}


def _cut(x, y, rows):
    return {split: Split(x[row], y[row])
            for split, row in rows.items() if len(row)}


_SETS = {
    "digits": _digits,
    "breast_cancer": _breast_cancer,
    "diabetes": _diabetes,
    "moons": _moons,
    "sine": _sine,
    "binary_toy": _binary_toy,
}
_ABOUT = {
    "digits": "Images of 8 x 8 pixels, 10 classes",
    "breast_cancer": "Tumours by 30 features, 2 classes",
    "diabetes": "Progress of a disease by 10 features, regression",
    "moons": "Two half circles in the plane, 2 classes",
    "sine": "A sine with a gap and growing noise, regression",
    "binary_toy": "Points on the line, 2 classes that overlap",
}
NAMES = tuple(_SETS)
OPTIONS = {
    "diabetes": ("standardise_targets",),
    "moons": ("num_train", "num_test", "noise"),
    "sine": ("num_train", "num_test"),
    "binary_toy": ("num_train", "num_test"),
}
