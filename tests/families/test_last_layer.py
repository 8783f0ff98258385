"""The last layer with other weights, against a network that has them."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.families.last_layer import LastLayer
from bdlzoo.networks import MLP
from bdlzoo.surgery import conversion

X = np.random.default_rng(0).normal(size=(5, 3)).astype("float32")


def test_moved_weights_are_those_of_the_layer():
    network = MLP((3,), (8,), 2, dropout=0.5)
    conversion.adopt(network)
    view = LastLayer(network)
    run = view.run(tf.constant(X))
    np.testing.assert_allclose(run[0], network(X, training=False), atol=1e-6)
    [step] = [np.random.default_rng(1).normal(size=shape).astype("float32")
              for shape in view.shapes]
    found = view.moving(run, X)([tf.constant(step)])
    dense = view.dense
    [before] = view.matrices()
    dense.set_weights([dense.kernel + step[:-1], dense.bias + step[-1]])
    np.testing.assert_allclose(found, network(X, training=False), atol=1e-5)
    np.testing.assert_allclose(view.matrices()[0], before + step, atol=1e-6)


def test_a_layer_may_have_no_bias():
    network = keras.Sequential([keras.Input((3,)),
                                keras.layers.Dense(2, use_bias=False)])
    view = LastLayer(network)
    assert view.shapes == [(3, 2)]
    np.testing.assert_array_equal(view.matrices()[0], network.layers[0].kernel)
    run = view.run(tf.constant(X))
    np.testing.assert_allclose(view.moving(run, X)([tf.ones([3, 2])]),
                               X @ (network.layers[0].kernel + 1.0), atol=1e-5)


def test_dropout_below_is_on_in_training_only():
    network = MLP((3,), (64,), 2, dropout=0.5)
    view = LastLayer(network)
    plain, trained = (view.run(tf.constant(X), training=mode)[1]
                      for mode in (False, True))
    assert np.mean(np.asarray(trained) == 0) > np.mean(np.asarray(plain) == 0) + 0.1


@pytest.mark.parametrize("last", [
    keras.layers.Dense(2, activation="softmax"), keras.layers.Reshape((2, 1))])
def test_other_ends_are_refused(last):
    network = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2), last])
    with pytest.raises(ValueError, match="Dense` without activation"):
        LastLayer(network)
