"""Real numbers with one noise."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from scipy import stats

from bdlzoo.likelihoods import GaussianPixels

RNG = np.random.default_rng(0)


def test_density_is_that_of_independent_normals():
    means = RNG.normal(size=(3, 4, 5)).astype("float32")
    x = RNG.normal(size=(4, 5)).astype("float32")
    found = GaussianPixels(noise_scale=0.7).log_prob(x, means)
    expected = stats.norm(means, 0.7).logpdf(x).sum(axis=-1)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_noise_is_learnt_unless_it_is_given():
    assert len(GaussianPixels().trainable_variables) == 1
    assert not GaussianPixels(learn_noise=False).trainable_variables


def test_a_saved_one_is_the_same():
    layer = GaussianPixels(noise_scale=0.2, learn_noise=False)
    again = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(layer))
    assert (again.noise_scale, again.learn_noise) == (0.2, False)
    np.testing.assert_allclose(again.log_noise, np.log(0.2), rtol=1e-6)


def test_noise_that_is_none_is_refused():
    with pytest.raises(ValueError, match="noise_scale=0"):
        GaussianPixels(noise_scale=0)


def test_outputs_that_rows_share_are_those_of_each_row():
    rng = np.random.default_rng(0)
    x, outputs = rng.normal(size=(5, 3)), rng.normal(size=(2, 3))
    x, outputs = tf.constant(x, tf.float32), tf.constant(outputs, tf.float32)
    found = GaussianPixels(0.5).log_prob_of_shared(x, outputs)
    expected = GaussianPixels(0.5).log_prob(x, tf.tile(outputs[:, None], [1, 5, 1]))
    np.testing.assert_allclose(found, expected, rtol=1e-6)
