"""Tests of the toy of DE-GP, small, and of what it is compared with."""

import numpy as np
import pytest

from tools.reproduce import degp_toy

SMALL = dict(num_members=8, num_steps=300, hidden=24, num_layers=1, num_points=8,
             learning_rate=0.02)


def test_points_are_a_sine_with_one_outlier():
    x, y = degp_toy.points()
    assert x.shape == y.shape == (8, 1)
    np.testing.assert_allclose(x[[0, -1], 0], [-1.5, 1.5])
    np.testing.assert_allclose((y - np.sin(2 * x))[:, 0], [0] * 7 + [-1.2],
                               atol=1e-6)


def test_exact_process_is_its_own_measure():
    found = degp_toy.run(method="nngp")
    assert found["of_exact"] == 1.0
    assert found["ratio"] == pytest.approx(
        found["std_outside"] / found["std_data"])
    assert found["ratio"] > 3


def test_members_start_from_the_prior():
    network = degp_toy._network(2000, 1, 2.0, 0.5)
    first, bias, *_ = network.get_weights()
    assert np.var(first) == pytest.approx(2.0, rel=0.1)
    assert np.var(bias) == pytest.approx(0.5, rel=0.1)


def test_degp_is_unsure_outside_as_the_exact_process_is():
    """T9.7, with fewer members: three times that at the data, half of exact."""
    found = degp_toy.run(method="degp", **SMALL)
    assert found["ratio"] > 3
    assert 0.5 < found["of_exact"] < 1.5
    assert found["rmse"] < 0.4


def test_panels_hold_all_methods_on_one_grid(monkeypatch):
    monkeypatch.setattr(degp_toy, "predict", lambda x, seed, method: (method, len(x)))
    drawn = degp_toy.panels()
    assert drawn["panels"] == {"DE-GP": ("degp", 161),
                               "Plain ensemble": ("deep_ensemble", 161),
                               "Exact NN-GP": ("nngp", 161)}
    assert drawn["x"].shape == (161,)


def test_a_wrong_method_is_refused():
    with pytest.raises(ValueError, match="method='gp'"):
        degp_toy.run(method="gp")
