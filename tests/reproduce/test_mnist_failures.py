"""The table of failure prediction, on the digits and a small network."""

import numpy as np
import pytest

from bdlzoo import data
from bdlzoo.methods import MCDropout
from tools.reproduce import mnist_failures

SMALL = dict(name="digits", hidden=(64,), rate=0.3, epochs=4, head=(32,),
             loss="squared",
             head_epochs=3, head_learning_rate=3e-3, batch_size=64, num_samples=8)


@pytest.fixture(scope="module")
def found():
    mnist_failures.confidences.cache_clear()
    return {score: mnist_failures.run(0, score, **SMALL)
            for score in mnist_failures.SCORES}


@pytest.mark.slow
def test_scores_of_a_seed_share_one_classifier(found):
    assert mnist_failures.confidences.cache_info().misses == 1
    errors = {score: row["error"] for score, row in found.items()
              if score != "mc_dropout"}
    assert len(set(errors.values())) == 1 and 0.02 < errors["mcp"] < 0.3
    for a, b in (("mcp", "mc_dropout"), ("mcp", "confid_net"), ("mcp", "tcp")):
        assert found[a]["auroc"] != found[b]["auroc"]


@pytest.mark.slow
def test_oracles_lead_and_all_know_something(found):
    perfect = found["tcpr"]
    assert perfect["auroc"] == perfect["ap_errors"] == 1.0
    assert perfect["fpr95"] == 0.0
    assert found["mcp"]["auroc"] < found["tcp"]["auroc"] <= 1.0
    for row in found.values():
        assert row["auroc"] > 0.6
        assert row["ap_errors"] > 1.5 * row["error"]


@pytest.mark.slow
def test_areas_are_in_thousandths(found):
    errors, confidence = mnist_failures.confidences(0, **SMALL)["mcp"]
    order = np.argsort(-confidence)
    risk = np.cumsum(errors[order]) / np.arange(1, len(errors) + 1)
    assert found["mcp"]["aurc"] == pytest.approx(1000 * risk.mean(), rel=1e-6)
    accuracy = 1 - errors.mean()
    best = 1 - accuracy + accuracy * np.log(accuracy)
    assert found["mcp"]["e_aurc"] == pytest.approx(
        1000 * (risk.mean() - best), rel=1e-6)


@pytest.mark.slow
def test_mc_dropout_averages_probabilities_over_masks(found, monkeypatch):
    asked = []
    predict = MCDropout.predict_uncertainty

    def spy(self, x, *args, **options):
        asked.append(predict(self, x, *args, **options))
        return asked[-1]

    monkeypatch.setattr(MCDropout, "predict_uncertainty", spy)
    options = {**SMALL, "rate": 0.7, "head_epochs": 1, "tune_epochs": 0}
    scores = mnist_failures.confidences(0, **options)
    [prediction] = asked
    errors, confidence = scores["mc_dropout"]
    probs = np.exp(prediction.log_probs)  # [S, B, C]
    assert len(probs) == 8 and probs.std(axis=0).max() > 0.05
    mean = probs.mean(axis=0)
    np.testing.assert_allclose(confidence, np.sum(mean * np.log(mean), axis=-1),
                               atol=1e-5)
    labels = data.load("digits", "test", seed=0, validation=0.1).y
    np.testing.assert_array_equal(errors, mean.argmax(axis=-1) != labels)
    assert (errors != scores["mcp"][0]).any()  # Its errors are its own.


@pytest.mark.slow
def test_settings_can_be_chosen_on_the_validation_rows(found):
    options = {**SMALL, "split": "validation", "epochs": 1, "head_epochs": 1}
    errors, confidence = mnist_failures.confidences(0, **options)["confid_net"]
    held = data.load("digits", "validation", seed=0, validation=0.1)
    assert errors.shape == confidence.shape == held.y.shape


def test_unknown_score_is_refused():
    with pytest.raises(ValueError, match="Received: score='trust'"):
        mnist_failures.run(score="trust")
