"""The toy of Bayesian dark knowledge, small."""

import math

import numpy as np
import pytest

from bdlzoo.core.regression_prediction import RegressionPrediction
from tools.reproduce import dark_knowledge_toy

SMALL = dict(num_steps=640, burn_in=160, thinning=16, num_chains=2, hidden=20)


def test_points_are_a_cubic_with_noise():
    x, y = dark_knowledge_toy.points(0, 20_000)
    assert x.shape == y.shape == (20_000, 1)
    assert -4 < x.min() < -3.99 and 3.99 < x.max() < 4
    assert np.std(y - x**3) == pytest.approx(3, rel=0.03)
    assert abs(np.mean(y - x**3)) < 0.1


def test_new_rows_are_not_those_of_training():
    first, second = (dark_knowledge_toy.points(0, stream=s)[0] for s in (0, 1))
    assert first.shape == (20, 1)
    assert not np.intersect1d(first, second).size


class _Stand:
    """Says that y / 10 is 6.4 (x / 4)**3 + shift, with other bands outside."""

    def __init__(self, shift, std, outside=None):
        self.shift, self.std, self.outside = shift, std, outside or std

    def predict_uncertainty(self, x):
        means = (6.4 * x**3 + self.shift)[None]
        stds = np.where(np.abs(x) > 1, self.outside, self.std)
        return RegressionPrediction(means, stds[None].astype("float32")**2)


def test_gaps_are_those_of_what_is_predicted(monkeypatch):
    """A true teacher, and a student that is shifted by 2 and too wide by half."""
    stands = {"sgld": _Stand(0.0, 0.3), "bdk": _Stand(0.2, 0.45)}
    monkeypatch.setattr(dark_knowledge_toy, "trained",
                        lambda seed, method: stands[method])
    found = dark_knowledge_toy.run()
    assert found["std_ratio"] == pytest.approx(1.5, rel=1e-4)
    assert found["std_gap"] == pytest.approx(0.5, rel=1e-4)
    assert found["rmse_gap"] == pytest.approx(2.0, rel=1e-4)
    assert found["rmse_sgld"] == pytest.approx(3.0, rel=0.1)
    entropy = 0.5 * math.log(2 * math.pi * math.e * 9)  # Of noise N(0, 9).
    assert found["nll_sgld"] == pytest.approx(entropy, abs=0.1)
    # In place of the variance, 4.5**2, there is 9 + 2**2.
    assert found["nll_bdk"] == pytest.approx(
        math.log(4.5) + 0.5 * math.log(2 * math.pi) + 13 / (2 * 4.5**2), abs=0.1)
    stands["bdk"] = _Stand(0.0, 0.15, outside=0.6)
    found = dark_knowledge_toy.run()
    # 81 of 121 points are between the edges of the data.
    assert found["std_ratio"] == pytest.approx((81 * 0.5 + 40 * 2) / 121, rel=1e-4)
    assert found["std_ratio_outside"] == pytest.approx(2.0, rel=1e-4)
    assert found["std_gap"] == pytest.approx((81 * 0.5 + 40 * 1) / 121, rel=1e-4)


@pytest.mark.slow
def test_student_learns_from_the_very_chains_it_is_compared_with():
    models = [dark_knowledge_toy.trained(0, method, **SMALL)
              for method in dark_knowledge_toy.METHODS]
    ends = [np.concatenate([np.ravel(part) for part in model.network.parts()])
            for model in models]
    np.testing.assert_allclose(*ends, rtol=1e-3, atol=1e-4)
    chains, student = models
    assert chains.kept_samples().shape == (30, 2, 61)
    assert student.box == (-1.5, 1.5)
    assert int(student.num_learnt) == SMALL["num_steps"]


def test_bands_are_in_units_of_the_data():
    drawn = dark_knowledge_toy.bands(0, num_points=13, **SMALL)
    assert set(drawn) == {"sgld", "bdk"}
    for method, band in drawn.items():
        assert band["x"][[0, -1], 0].tolist() == [-6, 6]
        np.testing.assert_allclose(band["truth"], band["x"][:, 0]**3)
        scaled = dark_knowledge_toy.predict(
            dark_knowledge_toy.trained(0, method, **SMALL), band["x"])
        np.testing.assert_allclose(band["prediction"].mean, 10 * scaled.mean,
                                   rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(band["prediction"].std, 10 * scaled.std,
                                   rtol=1e-3)
    # The noise of the data is known to the teacher.
    np.testing.assert_allclose(drawn["sgld"]["prediction"].aleatoric, 9.0, rtol=1e-4)


def test_a_wrong_method_is_refused():
    with pytest.raises(ValueError, match="method='hmc'"):
        dark_knowledge_toy.trained(0, "hmc")
