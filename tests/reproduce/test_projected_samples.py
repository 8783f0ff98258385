"""Samples in few directions, of numbers and of the digits."""

import numpy as np
import pytest

from tools.reproduce import generator_modes, projected_samples

RNG = np.random.default_rng(0)


def test_what_varies_in_few_directions_is_kept():
    samples = 3.0 + RNG.normal(size=(10, 2)) @ RNG.normal(size=(2, 40))
    np.testing.assert_allclose(projected_samples.project(samples, 2), samples,
                               atol=1e-4)
    # One of two directions holds a part of it, and the mean is never lost.
    one = projected_samples.project(samples, 1)
    assert 0.3 < generator_modes.spread(one) / generator_modes.spread(samples) < 0.99
    np.testing.assert_allclose(one.mean(0), samples.mean(0), atol=1e-4)
    assert np.linalg.matrix_rank(one - one.mean(0), tol=1e-3) == 1


@pytest.mark.slow
def test_fewer_directions_leave_less_spread():
    found = [projected_samples.run(
        0, directions, name="digits", hidden=(16,), steps=840, jit_compile=False,
        num_samples=5, num_kept=15, count=5, rows=50, outside="uniform")
        for directions in (2, 14)]
    assert found[0]["spread"] < 0.8 < found[1]["spread"]
    assert found[1]["spread"] == pytest.approx(1.0, abs=1e-3)
    assert all(each["generated"] > 0.5 and 0 <= each["bald"] <= 1 for each in found)
