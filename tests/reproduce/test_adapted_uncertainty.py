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
    better = experiment.reading(_results(overconfidence=0.02))
    assert "knows more" in better[0] and "0.300" in better[0] and "0.500" in better[0]
    assert "0.020 above" in better[1] and "harder" in better[2]
    assert "leaves 100 %" in better[3]
    worse = experiment.reading(_results(ece=0.2, overconfidence=-0.01))
    assert "knows no more" in worse[0] and "0.010 below" in worse[1]
    assert f"* {worse[0]}" in page(experiment.TABLE, _results(
        ece=0.2, overconfidence=-0.01))
    partial = _results()
    del partial["rows"][2]
    assert experiment.reading(partial) == []


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
