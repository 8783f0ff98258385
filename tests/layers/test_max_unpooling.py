"""Unpooling puts values where the maxima were."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.layers import MaxUnpooling

X = np.random.default_rng(0).normal(size=(2, 5, 7, 3)).astype("float32")


def test_pooling_and_unpooling_keep_the_maxima_and_nothing_else():
    pooled = keras.layers.MaxPooling2D(2, padding="same")(X)
    found = MaxUnpooling()([pooled, X])
    assert found.shape == X.shape
    np.testing.assert_array_equal(found, np.where(found != 0, X, 0.0))
    assert (found.numpy() != 0).sum() == tf.size(pooled)
    np.testing.assert_array_equal(  # Below 0 a zero would be the maximum.
        keras.layers.MaxPooling2D(2, padding="same")(np.where(found, found, -9.0)),
        pooled)


def test_places_are_those_of_tensorflow():
    x = X[:, :4, :6]
    values = np.arange(2 * 2 * 3 * 3, dtype="float32").reshape(2, 2, 3, 3) + 1.0
    _, places = tf.nn.max_pool_with_argmax(x, 2, 2, "SAME", include_batch_in_index=True)
    expected = np.zeros(x.size, "float32")
    expected[np.ravel(places)] = np.ravel(values)
    np.testing.assert_array_equal(MaxUnpooling()([values, x]),
                                  expected.reshape(x.shape))


def test_of_equal_maxima_the_first_takes_the_value():
    found = MaxUnpooling()([np.full((1, 1, 1, 1), 3.0), np.zeros((1, 2, 2, 1))])
    np.testing.assert_array_equal(found[0, ..., 0], [[3, 0], [0, 0]])


def test_values_of_another_size_are_refused():
    with pytest.raises(ValueError, match=r"\(None, 3, 4, 3\).*Received: values of sha"):
        MaxUnpooling()([np.zeros((2, 2, 4, 3)), X])
