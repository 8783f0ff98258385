"""Batches of all sources, and weights of classes."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.methods import MCDropout
from bdlzoo.model import batch_sources


def _model(outputs=3, likelihood="categorical"):
    network = keras.Sequential([keras.Input((2,)), keras.layers.Dropout(0.5),
                                keras.layers.Dense(outputs)])
    return MCDropout(network, likelihood)


X = np.zeros((4, 2), "float32")
Y = np.array([0, 1, 2, 1])


@pytest.mark.parametrize("targets", [Y, Y[:, None], np.eye(3)[Y], Y.astype("float32")])
def test_weights_of_classes(targets):
    *_, weights = batch_sources.class_weighed(
        _model(), (X, targets, None), {1: 5.0, 2: 0.5})
    np.testing.assert_array_equal(weights, [1.0, 5.0, 0.5, 5.0])


def test_labels_of_positions_have_weights_of_their_own():
    network = keras.Sequential([keras.Input((2, 1)), keras.layers.Dense(3)])
    labels = np.array([[0, 1], [2, 2]])
    *_, weights = batch_sources.class_weighed(
        MCDropout(network), (X[:2, :, None], labels, None), {2: 3.0})
    np.testing.assert_array_equal(weights, [[1.0, 1.0], [3.0, 3.0]])
    *_, weights = batch_sources.class_weighed(
        _model(2, "bernoulli"), (X[:2], np.array([[0, 1], [1, 1]]), None), {1: 3.0})
    np.testing.assert_array_equal(weights, [[1.0, 3.0], [3.0, 3.0]])


def test_numbers_have_no_classes():
    with pytest.raises(ValueError, match="targets that are not whole"):
        batch_sources.class_weighed(
            _model(1, "gaussian"), (X, Y + 0.5, None), {1: 5.0})


def test_first_batch_of_a_generator_is_not_lost():
    first, rest = batch_sources.peeked(iter([(X, Y), (X + 1.0, Y)]))
    np.testing.assert_array_equal(first[0], X)
    assert [float(x[0, 0]) for x, _ in rest] == [0.0, 1.0]


def test_datasets_of_the_right_form_stay_as_they_are():
    dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(2)
    assert batch_sources.converted(_model(), dataset)[0] is dataset
    flat = tf.data.Dataset.from_tensor_slices(({"x": X[:, 0]}, Y)).batch(2)
    column = keras.Input((1,), name="x")
    model = MCDropout(keras.Model(column, keras.layers.Dense(3)(column)))
    found, _, _ = batch_sources.converted(model, flat)
    assert found.element_spec[0].shape == (None, 1) and len(found) == 2
