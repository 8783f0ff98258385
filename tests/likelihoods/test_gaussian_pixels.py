"""Real numbers with one noise."""

import keras
import numpy as np
import pytest
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
