"""Energy of the prior, and the rate before each kernel."""

import keras
import numpy as np
import pytest

from bdlzoo.model import weight_prior
from bdlzoo.networks import MLP
from tests.model import strange_networks


def test_energy_is_minus_the_log_density_up_to_a_constant():
    rng = np.random.default_rng(0)
    weights = [keras.Variable(rng.normal(size=(3, 2))), keras.Variable(np.ones(2))]
    flat = np.concatenate([w.numpy().ravel() for w in weights])
    np.testing.assert_allclose(weight_prior.energy(weights, 0.5),
                               (flat**2).sum() / (2 * 0.25), rtol=1e-6)
    np.testing.assert_allclose(weight_prior.energy(weights, 0.5, [0.0, 0.5]), 2.0)


def test_kernel_behind_dropout_counts_by_what_is_kept():
    network = MLP((4, 5), hidden=(6,), outputs=2, dropout=0.25)
    # Kernel, bias, kernel behind dropout, bias.
    assert weight_prior.kept_shares(network) == [1.0, 1.0, 0.75, 1.0]
    network = MLP((4,), hidden=(6,), outputs=2, dropout=0.25, dropout_at="all")
    assert weight_prior.kept_shares(network) == [0.75, 1.0, 0.75, 1.0]


def test_reshaping_hands_the_rate_on():
    network = keras.Sequential([
        keras.Input((4, 4, 1)), keras.layers.Conv2D(2, 3),
        keras.layers.SpatialDropout2D(0.5), keras.layers.Flatten(),
        keras.layers.Activation("relu"), keras.layers.Dense(2)])
    assert weight_prior.kept_shares(network) == [1.0, 1.0, 0.5, 1.0]


def test_subclassed_network_counts_in_full():
    network = strange_networks.subclassed()
    network(np.ones((1, 6), "float32"))
    assert set(weight_prior.kept_shares(network)) == {1.0}


def test_scale_must_be_positive():
    with pytest.raises(ValueError, match="prior_scale=0"):
        weight_prior.energy([keras.Variable(1.0)], 0)
