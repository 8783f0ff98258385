"""Sets of inputs that a model was not made for, by name.

    gaussian     N(0, 1) in every pixel, not clipped
    uniform      U(0, 1) in every pixel
    permuted     the known inputs, the pixels of each in an order of its own
    any other    test split of a set of `bdlzoo.data.load`, images made to fit

As many rows as the known set has, where there are so many: precision depends on
the share of strange rows, and tables are made with one half. `scale` multiplies
all of the above: tables at a scale of 5 (APD) are not those at 1.

Reference: Hendrycks and Gimpel, A Baseline for Detecting Misclassified and
Out-of-Distribution Examples, ICLR 2017, for the noise.
"""

import numpy as np

from bdlzoo import data
from bdlzoo.core import noise
from bdlzoo.data.fit_images import fit_images


def outside_sets(names, known_x, count=None, scale=1.0, seed=0, data_dir=None):
    """Inputs of each set, in the shape of the known ones.

    Args:
        names: List of strings; see above.
        known_x: Inputs `[N, ...]` like those of training.
        count: Integer, rows of a set at most; `None` takes as many as known.
        scale: Float, factor of the outside inputs; known ones stay.
        seed: Integer; draws the noise, and the rows where a set has more.
        data_dir: See `bdlzoo.data.load`.

    Returns:
        Dictionary from a name to a float32 array `[M, ...]`.

    Raises:
        ValueError: Where a set does not fit, before any is made.
    """
    if isinstance(names, str):
        raise ValueError(f"Expected a list of names. Received: names={names!r}")
    known_x = np.asarray(known_x, "float32")
    count = len(known_x) if count is None else count
    if count < 1:
        raise ValueError(f"Expected at least one row. Received: count={count}")
    for name in names:
        if name not in NOISES:
            _check_fits(name, known_x, data_dir)
    return {name: np.float32(scale) * _rows(name, known_x, count, seed, data_dir)
            for name in names}


def gaussian(known_x, count, seed):
    """Normal noise in the shape of the known inputs."""
    key = noise.key(seed, noise.ORDER, 1)
    return noise.normal([count, *known_x.shape[1:]], key).numpy()


def uniform(known_x, count, seed):
    """Uniform noise in the shape of the known inputs."""
    key = noise.key(seed, noise.ORDER)
    return noise.uniform([count, *known_x.shape[1:]], key).numpy()


def permuted(known_x, count, seed):
    """The same inputs, the pixels of each in an order of its own."""
    known_x = _some(known_x, count, seed)
    flat = known_x.reshape(len(known_x), -1)
    words = noise.words(flat.shape, noise.key(seed, noise.ORDER)).numpy()
    order = np.argsort(words, axis=1, kind="stable")
    return np.take_along_axis(flat, order, axis=1).reshape(known_x.shape)


NOISES = {"gaussian": gaussian, "uniform": uniform, "permuted": permuted}
ALWAYS = ("uniform", "permuted")  # What images are told from where none is named.


def _rows(name, known_x, count, seed, data_dir):
    if name in NOISES:
        return NOISES[name](known_x, count, seed)
    x = data.load(name, "test", seed=seed, validation=0, data_dir=data_dir).x
    x = _some(x, count, seed)
    return fit_images(x, known_x.shape[1:]) if known_x.ndim == 4 else x


def _some(x, count, seed):
    """At most `count` rows, a fair choice: sets may be sorted by class."""
    if len(x) <= count:
        return x
    order = noise.permutation(len(x), noise.key(seed, noise.ORDER, 2)).numpy()
    return x[np.sort(order[:count])]


def _check_fits(name, known_x, data_dir):
    shape = data.describe(name, data_dir=data_dir).input_shape
    wanted = known_x.shape[1:]
    if len(wanted) != 3:
        if tuple(shape) != wanted:
            raise ValueError(
                "Expected a set with inputs of the shape that the model takes, "
                f"{wanted}. Received: '{name}' with inputs of shape {shape}")
        return
    if len(shape) != 3 or shape[-1] != wanted[-1] and {
            shape[-1], wanted[-1]} != {1, 3}:
        raise ValueError(
            f"Expected a set of images, to be made {wanted}, for a model of "
            f"images. Received: '{name}' with inputs of shape {shape}")
    if not (known_x.min() >= 0 and known_x.max() <= 1):
        raise ValueError(
            f"Expected known images in [0, 1], as those of '{name}' are. "
            f"Received: values from {known_x.min()} to {known_x.max()}")
