"""Sets of inputs from outside of the training distribution, by name.

    gaussian     N(0, 1) in every pixel, not clipped
    uniform      U(0, 1) in every pixel
    permuted     the known inputs, with the pixels of each in a random order
    any other    test split of a set of `bdlzoo.data.load`; images are resized

A set has as many rows as the known set if it can, because precision depends on the
share of outside rows, and published tables have a share of one half. All outside
inputs are multiplied by `scale`; results at different scales (5 for APD) cannot be
compared.

Reference: Hendrycks and Gimpel, A Baseline for Detecting Misclassified and
Out-of-Distribution Examples, ICLR 2017, for the noise.
"""

import numpy as np

from bdlzoo import data
from bdlzoo.core import noise
from bdlzoo.data.fit_images import fit_images


def outside_sets(names, known_x, count=None, scale=1.0, seed=0, data_dir=None):
    """Makes the inputs of each set, in the shape of the known inputs.

    Args:
        names: List of strings: `"gaussian"`, `"uniform"`, `"permuted"`, or names of
            data sets.
        known_x: Inputs `[N, ...]` like those of training.
        count: Integer, most rows of a set; `None` takes as many as `known_x` has.
        scale: Float, factor of the outside inputs; the known ones do not change.
        seed: Integer, seed of the noise, and of the choice of rows of larger sets.
        data_dir: Folder to read data from; `None` is the folder `TFDS_DATA_DIR` or
            `BDLZOO_DATA_DIR`.

    Returns:
        Dictionary from a name to a float32 array `[M, ...]`.

    Raises:
        ValueError: If a set does not fit; it is raised before any set is made.
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
    key = noise.key(seed, noise.OUTSIDE, 1)
    return noise.normal([count, *known_x.shape[1:]], key).numpy()


def uniform(known_x, count, seed):
    """Uniform noise in the shape of the known inputs."""
    key = noise.key(seed, noise.OUTSIDE, 0)
    return noise.uniform([count, *known_x.shape[1:]], key).numpy()


def permuted(known_x, count, seed):
    """The known inputs, with the pixels of each in a random order."""
    known_x = _some(known_x, count, seed)
    flat = known_x.reshape(len(known_x), -1)
    words = noise.words(flat.shape, noise.key(seed, noise.OUTSIDE, 3)).numpy()
    order = np.argsort(words, axis=1, kind="stable")
    return np.take_along_axis(flat, order, axis=1).reshape(known_x.shape)


NOISES = {"gaussian": gaussian, "uniform": uniform, "permuted": permuted}
ALWAYS = ("uniform", "permuted")  # Default sets for images.


def _rows(name, known_x, count, seed, data_dir):
    if name in NOISES:
        return NOISES[name](known_x, count, seed)
    x = data.load(name, "test", seed=seed, validation=0, data_dir=data_dir).x
    x = _some(x, count, seed)
    return fit_images(x, known_x.shape[1:]) if known_x.ndim == 4 else x


def _some(x, count, seed):
    """At most `count` random rows, because sets may be sorted by class."""
    if len(x) <= count:
        return x
    order = noise.permutation(len(x), noise.key(seed, noise.OUTSIDE, 2)).numpy()
    return x[np.sort(order[:count])]


def _check_fits(name, known_x, data_dir):
    shape = data.describe(name, data_dir=data_dir).input_shape
    wanted = known_x.shape[1:]
    if len(wanted) != 3:
        if tuple(shape) != wanted:
            raise ValueError(
                "Expected a set with inputs of the shape of the known inputs, "
                f"{wanted}. Received: '{name}' with inputs of shape {shape}")
        return
    if len(shape) != 3 or shape[-1] != wanted[-1] and {
            shape[-1], wanted[-1]} != {1, 3}:
        raise ValueError(
            f"Expected a set of images that can be resized to {wanted}. "
            f"Received: '{name}' with inputs of shape {shape}")
    if not (known_x.min() >= 0 and known_x.max() <= 1):
        raise ValueError(
            f"Expected known images in [0, 1], like those of '{name}'. "
            f"Received: values from {known_x.min()} to {known_x.max()}")
