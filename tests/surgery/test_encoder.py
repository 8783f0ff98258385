"""Tests of the features of a network."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.surgery import conversion
from bdlzoo.surgery.encoder import Encoder


def _network(activation=None, rate=0.5):
    return keras.Sequential([
        keras.Input((4, 4, 1)), keras.layers.Flatten(),
        keras.layers.Dense(6, activation="relu"), keras.layers.Dropout(rate),
        keras.layers.Dense(3, activation=activation)])


def _rows(count=5):
    return noise.normal([count, 4, 4, 1], noise.key(0)).numpy()


def test_last_layer_on_the_features_is_the_network():
    network, x = _network(), _rows()
    encoder = Encoder(network)
    np.testing.assert_array_equal(encoder.last_layer(encoder(x)), network(x))
    assert encoder(x).shape == (5, 6)


def test_an_activation_after_the_last_weights_is_left_out():
    inner = _network(rate=0.0)  # Models without noise are looked into as well.
    inputs = keras.Input((4, 4, 1))
    network = keras.Model(inputs, keras.layers.Softmax()(inner(inputs)))
    encoder, x = Encoder(network), _rows()
    assert encoder.last_layer is inner.layers[-1]  # Inside of the nested model.
    features, outputs = encoder.both(x)
    np.testing.assert_array_equal(features, encoder(x))
    np.testing.assert_array_equal(outputs, network(x))
    np.testing.assert_array_equal(encoder.last_layer(encoder(x)), inner(x))


def test_dropout_before_the_last_layer_draws_inside_a_scope():
    network, x = _network(), _rows()
    conversion.adopt(network)
    encoder = Encoder(network)
    with noise.draws(noise.key(1)):
        drawn = encoder(x).numpy()
    still = encoder(x).numpy()
    kept = drawn != 0
    assert 0 < kept.sum() < kept.size
    np.testing.assert_allclose(drawn[kept], 2 * still[kept], rtol=1e-6)


def test_what_has_no_features_is_refused():
    class Hidden(keras.Model):
        def call(self, x):
            return x

    with pytest.raises(ValueError, match="subclassed"):
        Encoder(Hidden())
    inputs = keras.Input((3,))
    with pytest.raises(ValueError, match="has none"):
        Encoder(keras.Model(inputs, keras.layers.Softmax()(inputs)))


def test_head_may_have_several_layers_and_others_in_their_place():
    network, x = _network(rate=0.0), _rows()
    encoder = Encoder(network, depth=2)
    features = encoder(x)
    assert features.shape == (5, 16)
    assert [layer.units for layer in encoder.head] == [6, 3]
    np.testing.assert_array_equal(encoder.finish(features), network(x))
    others = [type(layer).from_config(layer.get_config()) for layer in encoder.head]
    encoder.finish(features, layers=others)  # Builds them.
    for layer, other in zip(encoder.head, others):
        other.set_weights([2.0 * w for w in layer.get_weights()])
    twice = encoder.finish(features, layers=others)
    first, last = others
    np.testing.assert_allclose(twice, last(first(features)), atol=1e-6)


def test_heads_that_cannot_be_cut_off_are_refused():
    with pytest.raises(ValueError, match="3 layers.*which has 2"):
        Encoder(_network(), depth=3)
    inputs = keras.Input((4,))
    first = keras.layers.Dense(4)(inputs)
    second = keras.layers.Dense(4)(first)
    skipped = keras.Model(inputs, keras.layers.Dense(2)(second + inputs))
    with pytest.raises(ValueError, match="depth=2.*reads other tensors"):
        Encoder(skipped, depth=2)
