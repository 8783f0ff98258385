"""Uniform noise: anywhere in the ball, as far as the box goes."""

import numpy as np
import scipy.stats

from bdlzoo.attacks import UniformNoise
from bdlzoo.core import noise, registry

X = np.linspace(0.0, 1.0, 50).astype("float32")[:, None].repeat(200, axis=1)


def _moved(epsilon, seed=0):
    attack = UniformNoise(epsilon)
    return attack.perturb(None, X, None, seed, **attack.settings()).numpy()


def test_noise_is_uniform_on_what_ball_and_box_share():
    moved = _moved(0.3)
    low, high = np.maximum(X - 0.3, 0.0), np.minimum(X + 0.3, 1.0)
    assert (moved >= low).all() and (moved <= high).all()
    share = ((moved - low) / (high - low)).ravel()
    assert scipy.stats.kstest(share, "uniform").pvalue > 1e-3


def test_a_ball_as_wide_as_the_box_leaves_nothing_of_the_input():
    moved = registry.build("UniformNoise").perturb(
        None, X, None, noise.key(3), **UniformNoise().settings()).numpy()
    assert scipy.stats.kstest(moved.ravel(), "uniform").pvalue > 1e-3
    assert abs(np.corrcoef(moved.ravel(), X.ravel())[0, 1]) < 0.05


def test_seed_decides_the_noise():
    np.testing.assert_array_equal(_moved(0.3, 1), _moved(0.3, 1))
    assert not np.allclose(_moved(0.3, 1), _moved(0.3, 2))
