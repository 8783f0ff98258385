"""Features vary by what the posterior before the last layer says."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import bdlzoo
from bdlzoo.families.feature_variance import random_encoder, variance


def _network(select):
    network = keras.Sequential([
        keras.Input((3,)), keras.layers.Dense(4, name="first"),
        keras.layers.Dense(2, name="last")])
    return bdlzoo.bayesianize(network, select=select, verbose=False)


def test_encoder_ends_before_the_last_layer():
    network = _network("first")
    x = tf.ones([2, 3])
    np.testing.assert_allclose(random_encoder(network)(x), network.layers[0](x))


def test_features_without_noise_are_refused():
    with pytest.raises(ValueError, match="where only last has noise"):
        random_encoder(_network("last"))


def test_variance_is_over_draws_and_averaged_over_the_rest():
    features = np.random.default_rng(0).normal(size=(5, 2, 3, 4))
    np.testing.assert_allclose(variance(tf.constant(features)),
                               features.var(0).reshape(2, -1).mean(-1))
