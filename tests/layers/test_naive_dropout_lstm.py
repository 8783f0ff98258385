"""Naive dropout has new masks at each step; without dropout it is the LSTM."""

import keras
import numpy as np
import pytest

from bdlzoo import layers
from bdlzoo.core import noise
from bdlzoo.surgery import conversion

X = np.random.default_rng(0).normal(size=(3, 6, 4)).astype("float32")


def _network(**options):
    keras.utils.set_random_seed(0)
    layer = layers.NaiveDropoutLSTM(5, return_sequences=True, **options)
    network = keras.Sequential([keras.Input((None, 4)), layer])
    conversion.adopt(network)
    return network


def _draw(network, x=X, seed=0, **scope):
    with noise.draws(noise.key(seed), **scope):
        return np.asarray(network(x))


def test_without_dropout_it_is_the_lstm_of_keras(caplog):
    network = _network(dropout=0.5, recurrent_dropout=0.5)
    stock = keras.layers.LSTM(5, return_sequences=True)
    stock.build(X.shape)
    stock.set_weights(network.get_weights())
    np.testing.assert_allclose(network(X), stock(X), atol=1e-6)
    np.testing.assert_allclose(network(X, training=True), stock(X), atol=1e-6)
    plain = _network()
    np.testing.assert_allclose(_draw(plain), plain(X), atol=1e-6)
    assert not caplog.text  # Its dropout is known.


@pytest.mark.parametrize("rate", [0.25, 0.5])
def test_masks_of_two_steps_are_apart(rate):
    """The autocorrelation of a mask over time is 0: a linear cell shows its masks."""
    network = keras.Sequential([keras.Input((None, 40)), layers.NaiveDropoutLSTM(
        40, dropout=rate, return_sequences=True, use_bias=False, activation="linear",
        recurrent_activation=keras.ops.ones_like)])
    kernel = np.zeros((40, 160), "float32")
    kernel[:, 80:120] = np.eye(40)  # The new state is the inputs, added to the old one.
    network.set_weights([kernel, np.zeros((40, 160))])
    conversion.adopt(network)
    outputs = _draw(network, np.ones((50, 6, 40), "float32"))
    masks = np.diff(outputs, axis=1, prepend=0.0)
    np.testing.assert_allclose(np.unique(masks.round(5)), [0.0, 1 / (1 - rate)],
                               rtol=1e-4)
    assert abs(masks.mean() - 1.0) < 0.05
    steps = masks.transpose(1, 0, 2).reshape(6, -1)
    assert np.abs(np.corrcoef(steps) - np.eye(6)).max() < 0.1


def test_draws_rows_and_states_have_noise_of_their_own():
    x = np.repeat(X[:1], 3, axis=0)
    for rates in ({"dropout": 0.5}, {"recurrent_dropout": 0.5}):
        network = _network(**rates)
        rows = _draw(network, x)
        assert np.abs(rows[0] - rows[1]).max() > 1e-4
        together = _draw(network, x, coherent=True)
        np.testing.assert_allclose(together[0], together[1], atol=1e-6)
        assert np.abs(together - _draw(network, x, 1, coherent=True)).max() > 1e-4


def test_saved_layer_is_loaded_with_its_cell(tmp_path):
    network = _network(dropout=0.5, recurrent_dropout=0.25)
    network.save(tmp_path / "network.keras")
    loaded = keras.saving.load_model(tmp_path / "network.keras")
    conversion.adopt(loaded)
    np.testing.assert_array_equal(_draw(loaded), _draw(network))
