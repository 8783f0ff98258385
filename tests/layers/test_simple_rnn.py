"""The simple recurrent layer equals its equation, written by hand, in a draw."""

import numpy as np
import pytest

from tests.layers.recurrent_cases import (
    ROWS,
    STEPS,
    TECHNIQUES,
    UNITS,
    X,
    draw,
    make,
    products,
)


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_draw_is_the_unrolled_network_with_one_set_of_kernels(technique):
    network = make("SimpleRNN" + technique)
    inside, across = products(network)
    state = np.zeros((ROWS, UNITS))
    outputs = draw(network)
    for step in range(STEPS):
        state = np.tanh(inside(X[:, step]) + across(state))
        np.testing.assert_allclose(outputs[:, step], state, atol=1e-5)
