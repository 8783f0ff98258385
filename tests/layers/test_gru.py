"""The GRU equals its equations, written by hand, in a draw."""

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
    sigmoid,
)


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("after", [True, False])
def test_draw_is_the_unrolled_network_with_one_set_of_kernels(technique, after):
    network = make("GRU" + technique, reset_after=after)
    inside, across = products(network)
    state = np.zeros((ROWS, UNITS))
    outputs = draw(network)
    for step in range(STEPS):
        z, r, new = np.split(inside(X[:, step]), 3, axis=1)
        past_z, past_r, past = np.split(across(state), 3, axis=1)
        update, reset = sigmoid(z + past_z), sigmoid(r + past_r)
        if after:
            past = reset * past
        else:
            past = np.split(across(reset * state), 3, axis=1)[2]
        state = update * state + (1 - update) * np.tanh(new + past)
        np.testing.assert_allclose(outputs[:, step], state, atol=1e-5)
