"""Twenty pipelines with one wrong row each, for the test of all methods."""

import keras
import numpy as np
import tensorflow as tf

ROWS, SIZE = 64, 8  # Batches of 8 rows.
RNG = np.random.default_rng(0)
X = RNG.normal(size=(ROWS, 4)).astype("float32")
Y = RNG.integers(0, 3, ROWS)
ONE_HOT = np.eye(3, dtype="float32")[Y]
ONES = np.ones(ROWS, "float32")


class Batches(keras.utils.PyDataset):
    """Batches of arrays, by their numbers."""

    def __init__(self, *parts, **kwargs):
        super().__init__(**kwargs)
        self.parts = parts

    def __len__(self):
        return ROWS // SIZE

    def __getitem__(self, place):
        return tuple(part[SIZE * place:SIZE * (place + 1)] for part in self.parts)


class Frame:
    """As much of a frame as is read of it: pandas is not needed."""

    def __init__(self, array):
        self.array, self.shape, self.dtype = array, array.shape, array.dtype

    def __len__(self):
        return len(self.array)

    def to_numpy(self):
        return self.array


def dataset(*parts):
    """A dataset of batches."""
    return tf.data.Dataset.from_tensor_slices(parts).batch(SIZE)


def _yielded(*parts):
    found = Batches(*parts)
    return tf.data.Dataset.from_generator(
        lambda: (found[place] for place in range(len(found))),
        output_signature=tuple(tf.TensorSpec((None, *part.shape[1:]), part.dtype)
                               for part in parts))


def pipelines(row):
    """Functions by name that give arguments of `fit`; one of all rows is wrong."""
    def wrong(array, value, dtype=None):
        array = np.array(array, dtype or array.dtype)
        array.reshape(ROWS, -1)[row, 0] = value
        return array

    nan, outside = wrong(X, np.nan), wrong(Y, 3)
    return {
        "arrays NaN": lambda: {"x": nan, "y": Y},
        "arrays label": lambda: {"x": X, "y": outside},
        "arrays beyond": lambda: {"x": wrong(X, 1e300, "float64"), "y": Y},
        "frame infinite": lambda: {"x": Frame(wrong(X, np.inf)), "y": Y},
        "dataset NaN": lambda: {"x": dataset(nan, Y)},
        "dataset infinite": lambda: {"x": dataset(wrong(X, -np.inf), Y)},
        "dataset beyond": lambda: {"x": dataset(wrong(X, 1e300, "float64"), Y)},
        "dataset fraction": lambda: {"x": dataset(X, wrong(Y, 1.5, "float32"))},
        "dataset label": lambda: {"x": dataset(X, outside)},
        "dataset negative": lambda: {"x": dataset(X, wrong(Y, -1))},
        "dataset one-hot": lambda: {"x": dataset(X, wrong(ONE_HOT, 0.5))},
        "dataset weight": lambda: {"x": dataset(X, Y, wrong(ONES, np.nan))},
        "dataset shuffled": lambda: {
            "x": tf.data.Dataset.from_tensor_slices((nan, Y)).shuffle(
                ROWS, seed=1, reshuffle_each_iteration=False).batch(SIZE)},
        "dataset mapped": lambda: {"x": dataset(nan, Y).map(
            lambda x, y: (x, y), num_parallel_calls=2).prefetch(2)},
        "dataset endless": lambda: {
            "x": dataset(X, outside).repeat(), "steps_per_epoch": 8},
        "dataset yielded": lambda: {"x": _yielded(nan, Y), "steps_per_epoch": 8},
        "generator NaN": lambda: {"x": iter([*Batches(nan, Y)]), "steps_per_epoch": 8},
        "PyDataset label": lambda: {"x": Batches(X, outside, workers=2)},
        "validation NaN": lambda: {"x": X, "y": Y, "validation_data": dataset(nan, Y)},
        "validation label": lambda: {
            "x": X, "y": Y, "validation_data": Batches(X, outside)}}
