"""The sampled divergence of the mixture against quadrature and a closed form."""

import numpy as np
import pytest
import tensorflow as tf
from scipy import integrate, stats

from bdlzoo.core import noise
from bdlzoo.layers import ScaleMixturePrior


def _mean_divergence(prior, mean, scale, count=200_000):
    shape = [count]
    total = prior.divergence(tf.fill(shape, mean), tf.fill(shape, scale),
                             tf.fill(shape, np.float32(np.log(scale))), noise.key(0))
    return float(total) / count


def test_mean_of_draws_is_the_integral():
    prior = ScaleMixturePrior(1.0, 0.1, 0.25)
    posterior = stats.norm(0.2, 0.3)

    def log_prior(w):
        return np.log(0.25 * stats.norm(0, 1.0).pdf(w)
                      + 0.75 * stats.norm(0, 0.1).pdf(w))

    expected, _ = integrate.quad(
        lambda w: posterior.pdf(w) * (posterior.logpdf(w) - log_prior(w)), -3, 3)
    assert abs(_mean_divergence(prior, 0.2, 0.3) - expected) < 0.02


def test_two_equal_parts_are_one_normal():
    prior = ScaleMixturePrior(0.7, 0.7, 0.4)
    expected = np.log(0.7 / 0.3) + (0.09 + 0.04) / (2 * 0.49) - 0.5
    assert abs(_mean_divergence(prior, 0.2, 0.3) - expected) < 0.01


@pytest.mark.parametrize("options, words", [
    (dict(scale=0.0), "scale=0.0"), (dict(narrow_scale=-1.0), "narrow_scale=-1.0"),
    (dict(share=1.0), "share=1.0")])
def test_bad_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        ScaleMixturePrior(**options)
