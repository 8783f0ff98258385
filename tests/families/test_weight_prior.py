"""Energy of the prior, and the rate before each kernel."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.families import weight_prior
from bdlzoo.layers import ConcreteDropout, SpatialConcreteDropout
from bdlzoo.networks import MLP
from tests.surgery import strange_networks


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


def test_learnt_rate_divides_by_what_is_kept_and_gets_a_gradient():
    network = keras.Sequential([
        keras.Input((4, 4, 2)), SpatialConcreteDropout(0.2),
        keras.layers.Conv2D(2, 3), keras.layers.Flatten(), ConcreteDropout(0.5),
        keras.layers.Dense(2), keras.layers.Dropout(0.25), keras.layers.Dense(2)])
    shares = weight_prior.kept_shares(network)
    # Logit, kernel, bias; again; kernel behind a fixed rate, bias.
    np.testing.assert_allclose(shares, [0, 1.25, 1, 0, 2, 1, 0.75, 1], rtol=1e-6)
    first = network.layers[0]
    first.logit.assign(0.0)
    weights = network.trainable_variables
    with tf.GradientTape() as tape:
        energy = weight_prior.energy(weights, 0.5, weight_prior.kept_shares(network))
    # 1 / (1 - p) = 1 + exp(logit), whose slope is 1 at a rate of one half.
    expected = np.sum(weights[1].numpy()**2) / (2 * 0.25)
    np.testing.assert_allclose(tape.gradient(energy, first.logit), expected,
                               rtol=1e-5)


def test_strongest_rate_counts_where_branches_meet():
    x = keras.Input((4,))
    branches = [ConcreteDropout(rate)(x) for rate in (0.5, 0.2)]
    network = keras.Model(x, keras.layers.Dense(2)(keras.layers.Add()(branches)))
    shares = weight_prior.kept_shares(network)
    np.testing.assert_allclose(shares, [0, 0, 2, 1], rtol=1e-6)


def test_learnt_rate_without_a_kernel_in_sight_is_refused():
    x = keras.Input((4,))
    network = keras.Model(x, ConcreteDropout(name="last")(keras.layers.Dense(2)(x)))
    with pytest.raises(ValueError, match="Received: layer=last"):
        weight_prior.kept_shares(network)

    class Subclassed(keras.Model):
        def __init__(self):
            super().__init__()
            self.parts = [ConcreteDropout(name="inside"), keras.layers.Dense(2)]

        def call(self, inputs):
            return self.parts[1](self.parts[0](inputs))

    network = Subclassed()
    network(np.ones((1, 4), "float32"))
    with pytest.raises(ValueError, match="functional.*Received: layer=inside"):
        weight_prior.kept_shares(network)


def test_scale_must_be_positive():
    with pytest.raises(ValueError, match="prior_scale=0"):
        weight_prior.energy([keras.Variable(1.0)], 0)


def test_dropout_inside_a_recurrent_cell_counts_for_its_kernels():
    network = keras.Sequential([
        keras.Input((4, 3)), keras.layers.LSTM(2, dropout=0.25, recurrent_dropout=0.5)])
    assert weight_prior.kept_shares(network) == [0.75, 0.5, 1.0]  # The bias has 1.
