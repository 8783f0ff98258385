"""Test of draws that are all the same."""

import keras
import numpy as np

from bdlzoo.families import point_estimate


def test_every_draw_is_the_network_without_noise():
    network = keras.Sequential([keras.Input((3,)), keras.layers.Dropout(0.5),
                                keras.layers.Dense(2)])
    x = np.ones([4, 3], "float32")
    draws = point_estimate.draws(network, x, 5).numpy()
    assert draws.shape == (5, 4, 2) and np.ptp(draws, axis=0).max() == 0
    np.testing.assert_allclose(draws[0], network.layers[-1](x), rtol=1e-6)
