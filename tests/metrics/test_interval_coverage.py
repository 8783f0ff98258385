"""Coverage of central intervals."""

import numpy as np
import pytest

from bdlzoo.metrics.interval_coverage import IntervalCoverage


def _coverage(targets, pairs, level):
    metric = IntervalCoverage(level=level)
    metric.update_state(targets, pairs)
    return float(metric.result())


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_true_predictive_covers_its_level(level):
    """Five standard errors; a one-sided interval would miss by far."""
    random = np.random.default_rng(0)
    mean = random.normal(size=(20_000, 1))
    variance = random.uniform(0.1, 4.0, size=(20_000, 1))
    targets = random.normal(mean, np.sqrt(variance))
    error = 5 * np.sqrt(level * (1 - level) / 20_000)
    pairs = np.stack([mean, variance], axis=-1)
    assert _coverage(targets, pairs, level) == pytest.approx(level, abs=error)


def test_mixture_covers_its_level():
    """Two narrow components, far apart, and as many targets from each."""
    random = np.random.default_rng(0)
    side = random.choice([-5.0, 5.0], size=(4000, 1))
    targets = side + random.normal(size=(4000, 1))
    pairs = np.ones((2, 4000, 1, 2))
    pairs[0, ..., 0], pairs[1, ..., 0] = -5.0, 5.0
    assert _coverage(targets, pairs, 0.8) == pytest.approx(0.8, abs=0.03)


def test_both_ends_count():
    pairs = np.tile([0.0, 1.0], (4, 1, 1))
    targets = np.array([-2.0, -1.9, 1.9, 2.0])
    assert _coverage(targets, pairs, 0.95) == 0.5
    assert _coverage(targets, pairs, 0.99) == 1.0


def test_level_is_a_probability():
    with pytest.raises(ValueError, match="Received: level=95"):
        _coverage(np.zeros(1), np.ones((1, 1, 2)), 95)
