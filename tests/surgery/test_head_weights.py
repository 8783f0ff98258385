"""Networks as functions of some of their weights."""

import keras
import numpy as np
import pytest

from bdlzoo.surgery.head_weights import HeadWeights
from bdlzoo.surgery.trunk import Trunk

X = np.random.default_rng(0).normal(size=(5, 6, 6, 1)).astype("float32")


def _network():
    keras.utils.set_random_seed(0)
    inner = keras.Sequential([keras.Input((6, 6, 1)), keras.layers.Conv2D(2, 3),
                              keras.layers.Flatten()])
    return keras.Sequential([keras.Input((6, 6, 1)), inner,
                             keras.layers.Dense(4, activation="relu"),
                             keras.layers.Dense(3)])


@pytest.mark.parametrize("layers, size", [("last", 15), (2, 147), (3, 167),
                                          ("all", 167)])
def test_outputs_are_those_of_the_network_with_the_vector(layers, size):
    network = _network()
    head = HeadWeights(network, layers)
    assert head.size == size == head.vector.shape[0]
    moved = 1.5 * head.vector + 0.1
    outputs = head.finish(moved, head.begin(X))
    np.testing.assert_allclose(head.finish(head.vector, head.begin(X)), network(X),
                               atol=1e-6)
    before = network(X).numpy()
    head.assign(moved)
    np.testing.assert_allclose(outputs, network(X), atol=1e-5)
    assert np.abs(before - outputs).max() > 0.1


def test_all_below_the_weights_runs_once():
    network = _network()
    hidden = HeadWeights(network).begin(X)
    assert [tuple(t.shape) for t in hidden.values()] == [(5, 4)]
    assert [tuple(t.shape) for t in HeadWeights(network, 3).begin(X).values()] == [
        (5, 6, 6, 1)]
    assert not Trunk(network).after  # Nothing is random.


def test_dense_layer_at_the_end_and_kinks_are_found():
    network = _network()
    head = HeadWeights(network)
    assert head.dense is network.layers[-1] and not head.kinks
    np.testing.assert_allclose(
        head.features(head.begin(X)) @ head.dense.kernel + head.dense.bias, network(X),
        atol=1e-6)
    assert HeadWeights(network, 2).dense is None
    assert HeadWeights(network, 2).kinks == [network.layers[-2].name]


@pytest.mark.parametrize("layers", [0, 4, "first", True])
def test_other_selections_are_refused(layers):
    with pytest.raises(ValueError, match="from 1 to 3"):
        HeadWeights(_network(), layers)


def test_subclassed_networks_run_as_a_whole():
    class Plain(keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.second = keras.layers.Dense(4), keras.layers.Dense(3)

        def call(self, x):
            return self.second(self.first(x))

    network = Plain()
    x = X[:, 0, :, 0]
    network(x)
    head = HeadWeights(network)
    assert head.size == 15 and head.dense is None
    np.testing.assert_allclose(head.finish(0 * head.vector, head.begin(x)),
                               np.zeros([5, 3]))


def test_regularisers_of_other_layers_are_read_as_well():
    keras.utils.set_random_seed(0)
    network = keras.Sequential([
        keras.Input((4,)), keras.layers.Dense(3, kernel_regularizer="l2"),
        keras.layers.Dense(2, kernel_regularizer="l2")])
    head = HeadWeights(network)
    with head.scope(0 * head.vector):
        terms = [float(term) for term in network.losses]
    below = np.square(network.layers[0].get_weights()[0]).sum()
    np.testing.assert_allclose(terms, [0.01 * below, 0.0], rtol=1e-5)
