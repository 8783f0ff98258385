"""Recurrent layers of Keras with dropout, and draws of their outputs."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.surgery import conversion

RATES = {"dropout": 0.25, "recurrent_dropout": 0.5}
SERIES, CLIP = (5, 3), (4, 6, 2)  # Steps and features; steps, positions, channels.
_layers = keras.layers

# Each makes a layer from keyword arguments of its cell.
ALL = {
    "lstm": (lambda **k: _layers.LSTM(4, return_sequences=True, **k), SERIES),
    "gru": (lambda **k: _layers.GRU(4, return_sequences=True, **k), SERIES),
    "gru_before": (lambda **k: _layers.GRU(
        4, return_sequences=True, reset_after=False, **k), SERIES),
    "simple": (lambda **k: _layers.SimpleRNN(4, return_sequences=True, **k), SERIES),
    "rnn": (lambda **k: _layers.RNN(
        _layers.GRUCell(4, **k), return_sequences=True), SERIES),
    "stacked": (lambda **k: _layers.RNN(
        [_layers.LSTMCell(4, **k), _layers.SimpleRNNCell(3, **k)],
        return_sequences=True), SERIES),
    "unrolled": (lambda **k: _layers.LSTM(
        4, return_sequences=True, unroll=True, **k), SERIES),
    "bidirectional": (lambda **k: _layers.Bidirectional(
        _layers.LSTM(4, return_sequences=True, **k)), SERIES),
    "conv_lstm_1d": (lambda **k: _layers.ConvLSTM1D(
        2, 3, return_sequences=True, **k), CLIP),
    "conv_lstm_2d": (lambda **k: _layers.ConvLSTM2D(
        2, 2, return_sequences=True, **k), (3, 4, 4, 2)),
    "conv_lstm_3d": (lambda **k: _layers.ConvLSTM3D(
        2, 2, return_sequences=True, **k), (2, 3, 3, 3, 1)),
}

_QUICK = ("lstm", "simple", "bidirectional", "conv_lstm_1d")
NAMES = [name if name in _QUICK else pytest.param(name, marks=pytest.mark.slow)
         for name in ALL]


def make(name, **options):
    """An adopted network of one recurrent layer, and inputs of three rows."""
    layer, shape = ALL[name]
    return adopted(keras.Input(shape), layer(**(options or RATES))), inputs_of(shape)


def adopted(*layers):
    keras.utils.set_random_seed(1)
    network = keras.Sequential(layers)
    conversion.adopt(network)
    return network


def inputs_of(shape, rows=3):
    x = np.random.default_rng(0).normal(size=(1, *shape)).astype("float32")
    return np.repeat(x, rows, axis=0)  # Equal rows, so that only noise differs.


def draw(network, x, seed=0, training=False, **scope):
    with noise.draws(noise.key(seed, noise.PREDICT), **scope):
        return np.asarray(network(x, training=training))
