"""The peak at the threshold, and what averaging makes of it."""

import numpy as np
import pytest

from tools.reproduce import double_descent

OPTIONS = dict(name="digits", num_train=60, num_test=200, side=None,
               widths=(10, 60, 600))


def test_error_peaks_at_as_many_features_as_rows_unless_weights_have_a_prior():
    plain = double_descent.run(**OPTIONS)
    bayesian = double_descent.run(model="bayesian", **OPTIONS)
    assert plain["peak_width"] == 60 and plain["peak_ratio"] > 2
    assert plain["error_600"] < plain["error_10"]
    assert bayesian["peak_ratio"] < 1.6
    assert bayesian["error_60"] < 0.6 * plain["error_60"]


def test_evidence_finds_the_noise_of_a_linear_model():
    generator = np.random.default_rng(0)
    x = generator.normal(size=(400, 30))
    w = 2.0 * generator.normal(size=(30, 10))
    y = x @ w + 3.0 * generator.normal(size=(400, 10))
    found = double_descent.evidence_solution(x, y)
    # The posterior mean for the scales that made the data.
    exact = np.linalg.solve(x.T @ x + 9.0 / 4.0 * np.eye(30), x.T @ y)
    np.testing.assert_allclose(found, exact, atol=0.02)


@pytest.mark.slow
def test_networks_have_a_width():
    scores = double_descent.run(model="network", name="digits", num_train=60,
                                num_test=100, side=None, widths=(4, 40), num_steps=200)
    assert scores["error_40"] < scores["error_4"]
    with pytest.raises(ValueError, match="model='tree'"):
        double_descent.run(model="tree")
