"""Uncertainty of adapted networks, on digits in the place of all sets."""

import numpy as np
import pytest

from tools.reproduce import adapted_uncertainty as experiment
from tools.reproduce import domain_adaptation
from tools.reproduce.page import page


def _results(**changes):
    rows = []
    for place, row in enumerate(experiment.TABLE.rows):
        scores = dict.fromkeys(experiment.TABLE.metrics, 0.5 - 0.1 * place)
        rows.append({"label": row.label, "source": row.source, "published": {},
                     "scores": [{**scores, **changes, "seconds": 1.0, "seed": 0}]})
    return {"seeds": 1, "rows": rows}


def test_words_follow_the_figures():
    """All figures are 0.5 without adaptation, 0.4 and 0.3 with the others."""
    plain, first, second = experiment.reading(_results())
    assert "calibration error on the target is 0.500" in plain
    assert first.startswith("RevGrad is better calibrated, but the errors")
    assert "error is 0.300" in second and "Dropout masks leave 100 %" in second
    results = _results()
    results["rows"][2]["scores"][0].update(auroc_errors=0.9, ece_masks=0.15)
    words = experiment.reading(results)[2]
    assert words.startswith("RevGrad + CAT knows more") and "leave 50 %" in words
    results["rows"][1]["scores"][0].update(ece=0.6)
    assert "RevGrad knows less" in experiment.reading(results)[1]
    assert f"* {words}" in page(experiment.TABLE, results)
    del results["rows"][0]
    assert experiment.reading(results) == []


@pytest.mark.slow
def test_scores_are_those_of_the_target(monkeypatch):
    from tests.reproduce.test_domain_adaptation import digits, small_network
    small_network(monkeypatch)
    shown = []
    monkeypatch.setattr(domain_adaptation, "images", lambda name, *rest: (
        shown.append(name) or digits(name, *rest)))
    found = experiment.run(base="rev_grad", num_steps=60, num_samples=4,
                           counts={"mnist": 300, "usps": 300}, num_held_out=100,
                           num_outside=50)
    assert set(found) == {*experiment.TABLE.metrics}
    assert all(np.isfinite(value) for value in found.values())
    assert {"usps", "mnist", "fashion_mnist"} == set(shown)
    assert found["ece_masks"] != found["ece"]
    assert 0 <= found["auroc_errors"] <= 1
