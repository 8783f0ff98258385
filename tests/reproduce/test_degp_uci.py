"""Tests of DE-GP beside an ensemble on small tables."""

import os

import pytest

from bdlzoo import data
from bdlzoo.methods import DeepEnsemble
from tools.reproduce import degp_uci

SMALL = dict(num_members=2, hidden=(8,), epochs=3, num_points=4)
needs_data = pytest.mark.skipif(
    not os.environ.get("BDLZOO_DATA_DIR"),
    reason="BDLZOO_DATA_DIR does not name a folder with the real sets")


def test_scores_are_in_raw_units():
    """A model that is not trained: its error is of the scale of the targets."""
    still = {**SMALL, "epochs": 1, "learning_rate": 0.0}
    found = degp_uci.run(name="diabetes", method="deep_ensemble", **still)
    scale = data.describe("diabetes", validation=0).target_scale[1]
    assert found["noise_raw"] == pytest.approx(0.3 * scale, rel=1e-4)
    assert 0.7 * scale < found["rmse_raw"] < 3 * scale
    assert found["nll_raw"] > 4.0


@pytest.mark.slow
def test_training_helps():
    found = degp_uci.run(name="diabetes", **{**SMALL, "epochs": 30})
    scale = data.describe("diabetes", validation=0).target_scale[1]
    assert found["rmse_raw"] < 0.9 * scale  # That of the mean of all targets.


@needs_data
def test_seed_is_the_fold(monkeypatch):
    seen = []

    def fit(self, x, y, **kwargs):
        seen.append(x)
        self.build_once(x)

    monkeypatch.setattr(DeepEnsemble, "fit", fit)
    for seed in (0, 1):
        degp_uci.run(seed, "uci/yacht", "deep_ensemble", **SMALL)
    for fold, x in enumerate(seen):
        expected = data.load("uci/yacht", fold=fold, seed=fold, validation=0).x
        assert (x == expected).all()


def test_a_wrong_method_is_refused():
    with pytest.raises(ValueError, match="method='gp'"):
        degp_uci.run(method="gp")
