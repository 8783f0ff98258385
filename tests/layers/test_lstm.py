"""The LSTM equals its equations, written by hand, in a draw."""

import keras
import numpy as np
import pytest

from bdlzoo import layers
from tests.layers.recurrent_cases import (
    ROWS,
    STEPS,
    TECHNIQUES,
    UNITS,
    X,
    draw,
    make,
    products,
    sigmoid,
)


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("coherent", [False, True])
def test_draw_is_the_unrolled_network_with_one_set_of_kernels(technique, coherent):
    network = make("LSTM" + technique)
    inside, across = products(network, coherent=coherent)
    state = memory = np.zeros((ROWS, UNITS))
    outputs = draw(network, coherent=coherent)
    for step in range(STEPS):
        i, f, g, o = np.split(inside(X[:, step]) + across(state), 4, axis=1)
        memory = sigmoid(f) * memory + sigmoid(i) * np.tanh(g)
        state = sigmoid(o) * np.tanh(memory)
        np.testing.assert_allclose(outputs[:, step], state, atol=1e-5)


def test_bias_of_the_forget_gate_starts_at_one():
    for asked in (True, False):
        layer = layers.LSTMFlipout(2, unit_forget_bias=asked)
        layer.build((None, 5, 3))
        stock = keras.layers.LSTM(2, unit_forget_bias=asked)
        stock.build((None, 5, 3))
        np.testing.assert_array_equal(layer.cell.input_map.bias, stock.cell.bias)


def test_options_of_keras_are_kept():
    layer = layers.LSTMFlipout(2, return_sequences=True, go_backwards=True,
                               return_state=True, recurrent_activation="relu",
                               kernel_initializer="ones", dtype="float64")
    outputs, state, _ = layer(X.astype("float64"))
    assert outputs.shape == (ROWS, STEPS, UNITS) and layer.go_backwards
    np.testing.assert_array_equal(outputs[:, -1], state)
    np.testing.assert_array_equal(layer.cell.input_map.kernel, np.ones((3, 8)))
    assert outputs.dtype == layer.cell.recurrent_map.kernel.dtype == "float64"
