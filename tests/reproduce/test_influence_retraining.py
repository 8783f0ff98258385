"""Predicted and actual changes, on the digits."""

import pytest

from tools.reproduce import influence_retraining

OPTIONS = dict(name="digits", side=None, num_train=150, num_test=2, num_retrained=8,
               epochs=3)


def test_solvers_share_the_retrainings():
    exact = influence_retraining.run(**OPTIONS)
    other = influence_retraining.run(solver="cg", **OPTIONS)
    assert exact["correlation"] > 0.97 and exact["gradient"] < 0.05
    assert other["correlation"] == pytest.approx(exact["correlation"], abs=1e-3)
    assert 1.0 < exact["slope"] < 2.0 and exact["residual"] < 1e-6
    assert abs(exact["slope_left_out"] - 1.0) < abs(exact["slope"] - 1.0)
    assert exact["correlation_all"] > 0.97
    assert influence_retraining.retrained.cache_info().hits == 1


@pytest.mark.slow
@pytest.mark.parametrize("changes", [
    dict(network="cnn", layers=2, solver="cg"),
    dict(network="dropout", of="mutual_information")])
def test_networks_run(changes):
    scores = influence_retraining.run(**{**OPTIONS, "side": 14, **changes})
    assert -1 <= scores["correlation"] <= 1
