"""Averages of weights over steps."""

import keras
import numpy as np
import pytest

from bdlzoo.families import averaged_network
from bdlzoo.surgery import cloning


def _pair():
    network = keras.Sequential([
        keras.Input((2,)), keras.layers.Dense(3), keras.layers.BatchNormalization()])
    average = cloning.clone(network)
    averaged_network.begin(average, network, (None, 2))
    return average, network


def test_copy_starts_equal_and_is_not_trained():
    average, network = _pair()
    assert average.trainable_variables == [] and len(network.trainable_variables) == 4
    for mine, given in zip(average.weights, network.weights, strict=True):
        np.testing.assert_array_equal(mine, given)


def test_first_averages_are_plain_means():
    kept = [float(averaged_network.share_kept(step, 0.9)) for step in (1, 2, 5, 100)]
    np.testing.assert_allclose(kept, [0.0, 0.5, 0.8, 0.9], rtol=1e-6)


@pytest.mark.parametrize("statistics, expected", [
    ("average", 0.75), ("copy", 3.0), ("own", 0.0)])
def test_weights_move_by_their_share(statistics, expected):
    average, network = _pair()
    mean = network.layers[1].moving_mean
    for weight in (network.layers[0].bias, mean):
        weight.assign(weight + 3.0)
    averaged_network.follow(average, network, 0.75, statistics)
    np.testing.assert_allclose(average.layers[0].bias, 0.75)
    np.testing.assert_allclose(average.layers[1].moving_mean, expected)
