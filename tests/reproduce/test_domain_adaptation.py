"""The protocol of MNIST and USPS, on digits in their place."""

import keras
import numpy as np
import pytest

from bdlzoo import data
from bdlzoo.methods import CAT
from tools.reproduce import domain_adaptation as experiment


def digits(name, seed, split="train"):
    x, y = data.load("digits", split, seed=seed, validation=0)
    x = data.fit_images(x, (16, 16, 1))
    return data.Split(1.0 - x if name == "usps" else x, y)


def small_network(monkeypatch):
    build = experiment.BatchNormLeNet
    monkeypatch.setattr(experiment, "images", digits)
    monkeypatch.setattr(
        experiment, "BatchNormLeNet", lambda shape, outputs, dropout: build(
            (16, 16, 1), outputs, filters=(2, 3), hidden=6, dropout=dropout))


@pytest.fixture
def small(monkeypatch):
    small_network(monkeypatch)


def test_scores_are_those_of_both_splits_of_the_target(small, monkeypatch):
    fits, held_out = [], []
    fit, calibrate = CAT.fit, CAT.calibrate
    monkeypatch.setattr(CAT, "fit", lambda self, x, y, **options: fits.append(
        (x, y, options["target"])) or fit(self, x, y, **options))
    monkeypatch.setattr(CAT, "calibrate", lambda self, *rows: held_out.append(
        rows) or calibrate(self, *rows))
    found = experiment.run(seed=3, source="mnist", target="usps", num_steps=2,
                           base="rev_grad", counts={"mnist": 70, "usps": 60},
                           num_held_out=30)
    [(x, y, (target, labels))] = fits
    known, unknown = (digits(name, 3) for name in ("mnist", "usps"))
    np.testing.assert_array_equal(x, known.x[:70])
    np.testing.assert_array_equal(target, unknown.x[:60])
    np.testing.assert_array_equal(held_out[0][0], known.x[70:100])  # None trained.
    assert found["looks"] == 1
    assert found["best_accuracy"] >= found["target_accuracy"]
    assert found["best_test_accuracy"] >= found["test_accuracy"]
    assert {*experiment.TABLE.metrics} <= {*found}


def test_schedules_fit_the_number_of_steps():
    options = experiment.options("cat", "robust_rev_grad", 1500)
    rise = options["cluster_weight"]
    assert (rise.start, rise.length) == (300, 600)
    assert options["base"]["reversal"].length == 1500
    assert experiment.options("mcd", None, 600) == {"head_layers": 2}
    assert experiment.options("source_only", None, 600) == {}
    assert "semantic_weight" in experiment.options("mstn", None, 600)


def test_mcd_has_the_published_optimiser():
    assert isinstance(experiment.optimizer_of("cat", "mcd"), keras.optimizers.Adam)
    assert float(experiment.optimizer_of("cat", "rev_grad").learning_rate) == (
        pytest.approx(0.01))
    assert len(experiment.TABLE.rows) == 14
