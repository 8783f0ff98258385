"""Black and white pixels."""

import numpy as np
import pytest
from tensorflow_probability import distributions as tfd

from bdlzoo.likelihoods import BernoulliPixels

RNG = np.random.default_rng(0)
LOGITS = RNG.normal(size=(3, 4, 2, 2)).astype("float32")


def test_density_is_that_of_independent_pixels():
    x = RNG.integers(0, 2, size=(4, 2, 2)).astype("float32")
    found = BernoulliPixels().log_prob(x, LOGITS)
    expected = tfd.Bernoulli(logits=LOGITS).log_prob(x).numpy().sum(axis=(2, 3))
    assert found.shape == (3, 4)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    np.testing.assert_allclose(BernoulliPixels().log_prob(x, LOGITS[0]), found[0])


def test_outputs_that_rows_share_are_one_product():
    x = RNG.uniform(size=(5, 2, 2)).astype("float32")
    outputs = 4.0 * LOGITS[:, 0]  # [S, 2, 2]
    expected = BernoulliPixels().log_prob(x, np.repeat(outputs[:, None], 5, axis=1))
    found = BernoulliPixels().log_prob_of_shared(x, outputs)
    assert found.shape == (3, 5)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_grey_is_the_mean_over_pictures_drawn_from_it():
    x = np.full((4, 2, 2), 0.3, "float32")
    white, black = (BernoulliPixels().log_prob_each(np.full_like(x, value), LOGITS)
                    for value in (1.0, 0.0))
    np.testing.assert_allclose(BernoulliPixels().log_prob_each(x, LOGITS),
                               0.3 * white + 0.7 * black, rtol=1e-5)


def test_mean_is_the_probability_of_white():
    np.testing.assert_allclose(BernoulliPixels().mean(LOGITS),
                               1 / (1 + np.exp(-LOGITS)), rtol=1e-5)


def test_pixels_out_of_range_are_refused():
    BernoulliPixels().check_inputs(np.array([0.0, 1.0]))
    with pytest.raises(ValueError, match="from 0 to 255"):
        BernoulliPixels().check_inputs(np.array([0.0, 255.0]))
