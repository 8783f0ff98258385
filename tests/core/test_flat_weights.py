"""Networks as vectors of weights."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core.flat_weights import FlatWeights

L = keras.layers


def _networks():
    dense = keras.Sequential([keras.Input((3,)), L.Dense(5, "relu"), L.Dense(2)])
    image = keras.Sequential([
        keras.Input((6, 6, 1)), L.Conv2D(3, 3), L.BatchNormalization(), L.ReLU(),
        L.Dropout(0.5), L.GlobalAveragePooling2D(), L.Dense(2)])
    for network in (dense, image):
        for place, weight in enumerate(network.weights):
            weight.assign(keras.random.uniform(weight.shape, 0.5, 1.5, seed=place))
    return {"dense": dense, "image": image}


def _vectors(network, count):
    """Vectors about a network's own weights, positive as variances must be."""
    own = np.concatenate([w.numpy().ravel() for w in network.weights])
    shifts = np.random.default_rng(0).uniform(0, 0.5, (count, len(own)))
    return (own + shifts).astype("float32")


@pytest.mark.parametrize("kind", ["dense", "image"])
def test_round_trip_is_exact_and_in_order(kind):
    """T8.4."""
    network = _networks()[kind]
    flat = FlatWeights(network)
    vector = flat.flatten(network.weights)
    assert flat.size == sum(w.numpy().size for w in network.weights)
    np.testing.assert_array_equal(
        vector, np.concatenate([w.numpy().ravel() for w in network.weights]))
    for part, weight in zip(flat.unflatten(vector), network.weights, strict=True):
        np.testing.assert_array_equal(part, weight)
    vectors = _vectors(network, 6).reshape(2, 3, -1)
    parts = flat.unflatten(tf.constant(vectors))
    assert parts[0].shape == (2, 3, *network.weights[0].shape)
    np.testing.assert_array_equal(flat.flatten(parts), vectors)


def test_the_parameter_counts_of_the_paper():
    """T8.5."""
    for hidden, size in (((100,), 79_510), ((400, 400), 478_410)):
        network = keras.Sequential([keras.Input((784,)), *map(L.Dense, hidden),
                                    L.Dense(10)])
        assert FlatWeights(network).size == size


@pytest.mark.parametrize("count", [1, 3, 40])
@pytest.mark.parametrize("kind", ["dense", "image"])
def test_many_networks_answer_as_each_alone(kind, count):
    network = _networks()[kind]
    flat = FlatWeights(network)
    vectors = tf.constant(_vectors(network, count))
    x = keras.random.normal((4, *network.input_shape[1:]), seed=1)
    expected = []
    for vector in vectors:
        network.set_weights([w.numpy() for w in flat.unflatten(vector)])
        expected.append(network(x, training=False))

    @tf.function
    def outputs(number):
        return flat.outputs(lambda places: tf.gather(vectors, places), number, x)

    np.testing.assert_allclose(outputs(count), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(outputs(tf.constant(count)), expected, rtol=1e-4,
                               atol=1e-5)
