"""Arrays for the networks: 16 rows, two batches of eight."""

import numpy as np
import tensorflow as tf

ROWS = 16


def numbers(*shape, seed=0):
    """Normal numbers, float32."""
    return np.random.default_rng(seed).normal(size=(ROWS, *shape)).astype("float32")


def indices(*shape, below, seed=1):
    """Integers from 0, int32."""
    return np.random.default_rng(seed).integers(
        0, below, (ROWS, *shape)).astype("int32")


def bits(*shape, seed=2):
    """Zeros and ones, float32."""
    return indices(*shape, below=2, seed=seed).astype("float32")


def one_hot(*shape, classes, seed=1):
    """Rows with a single one, float32."""
    return np.eye(classes, dtype="float32")[indices(*shape, below=classes, seed=seed)]


def words(choices, *shape, seed=3):
    """Strings out of some choices, as the tensor that Keras' `fit` takes."""
    return tf.gather(tf.constant(choices), indices(*shape, below=len(choices),
                                                   seed=seed))


def sentences(choices, length, seed=4):
    """Strings of several words, `[B, 1]`."""
    rows = words(choices, length, seed=seed)
    return tf.strings.reduce_join(rows, axis=1, separator=" ", keepdims=True)


def padded(*shape, below, seed=5):
    """Integers from 1, with zeros behind the length of a row, which is at least 2."""
    found = indices(*shape, below=below - 1, seed=seed) + 1
    lengths = 2 + indices(below=shape[0] - 1, seed=seed + 1)
    found[np.arange(shape[0])[None] >= lengths[:, None]] = 0
    return found
