"""Tests of detecting outside inputs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from bdlzoo.core import noise
from bdlzoo.evaluation import uncertainty_scores as scores
from bdlzoo.evaluation.detection import detection, out_of_distribution
from bdlzoo.evaluation.mahalanobis import Mahalanobis
from bdlzoo.evaluation.odin import odin_scores
from bdlzoo.methods import Deterministic, MCDropout
from bdlzoo.networks import MLP

TIED = hnp.arrays("float64", st.integers(1, 30), elements=st.integers(-4, 4))


def test_the_numbers_of_a_small_case():
    found = detection([0.1, 0.2, 0.3, 0.9], [0.25, 0.8, 0.85, 0.95])
    assert found["auroc"] == 12 / 16
    # Outside rows have ranks 1, 3, 4 and 6 from the top.
    np.testing.assert_allclose(found["aupr_out"], (1 + 2 / 3 + 3 / 4 + 4 / 6) / 4)
    # Known rows have ranks 1, 2, 4 and 7 from the bottom.
    np.testing.assert_allclose(found["aupr_in"], (1 + 1 + 3 / 4 + 4 / 7) / 4)
    assert found["fpr95"] == 3 / 4  # All known rows: up to 0.9.
    assert found["detection_error"] == 0.25  # At 0.3, or at 0.2.


@settings(deadline=None)
@given(TIED, TIED)
def test_sides_change_places_with_the_sign(known, outside):
    found, other = detection(known, outside), detection(-outside, -known)
    np.testing.assert_allclose(found["auroc"], other["auroc"])
    np.testing.assert_allclose(found["aupr_out"], other["aupr_in"])
    np.testing.assert_allclose(found["aupr_in"], other["aupr_out"])
    np.testing.assert_allclose(found["detection_error"], other["detection_error"])


@settings(deadline=None)
@given(TIED, TIED)
def test_only_the_order_counts(known, outside):
    assert detection(known, outside) == detection(np.exp(known) - 7,
                                                  np.exp(outside) - 7)


@settings(deadline=None)
@given(TIED, TIED)
def test_detection_error_is_the_best_of_all_thresholds(known, outside):
    limits = np.concatenate([[-np.inf], known, outside])
    errors = [(np.mean(known > t) + np.mean(outside <= t)) / 2 for t in limits]
    np.testing.assert_allclose(detection(known, outside)["detection_error"],
                               min(errors), atol=1e-12)


def test_a_constant_score_knows_the_base_rate_only():
    found = detection(np.zeros(30), np.zeros(10))
    assert found == {"auroc": 0.5, "aupr_out": 0.25, "aupr_in": 0.75, "fpr95": 1.0,
                     "detection_error": 0.5}


def test_sets_apart_are_told_and_infinities_are_ranked():
    found = detection([-np.inf, 0.0], [1.0, np.inf])
    assert found == {"auroc": 1.0, "aupr_out": 1.0, "aupr_in": 1.0, "fpr95": 0.0,
                     "detection_error": 0.0}
    with pytest.raises(ValueError, match="1 NaN"):
        detection([np.nan], [1.0])


def test_two_draws_of_one_law_are_not_told():
    draws = noise.normal([2, 20000], noise.key(0, 5)).numpy()
    found = detection(*draws)
    assert abs(found["auroc"] - 0.5) < 0.02
    assert abs(found["fpr95"] - 0.95) < 0.01
    assert 0.48 < found["detection_error"] <= 0.5


def _case(kind, count=60):
    model = kind(MLP((6,), (16,), 4, dropout=0.5 if kind is MCDropout else 0),
                 seed=0)
    known, far, few = (noise.normal([n, 6], noise.key(0, i)).numpy()
                       for i, n in enumerate((count, count, count // 3)))
    return model, known, {"far": 9 * far, "few": few}


def test_all_scores_of_all_sets_are_in_the_answer():
    model, known_x, sets = _case(MCDropout)
    fitted = Mahalanobis(model, known_x, np.arange(60) % 4)
    known, outside, table = out_of_distribution(
        model, known_x, sets, odin={"epsilon": 0.1, "temperature": 5.0},
        mahalanobis=fitted, num_samples=8, seed=3)
    names = [*scores.NAMES, "odin", "mahalanobis"]
    assert list(known) == names and list(outside) == list(table) == ["far", "few"]
    prediction, logits = scores.judge(model, sets["far"], 8, 3)
    expected = {**scores.uncertainty_scores(prediction, logits),
                "mahalanobis": fitted(sets["far"]), "odin": odin_scores(
                    model, sets["far"], 0.1, 5.0, num_samples=8, seed=3)}
    for name in names:
        np.testing.assert_array_equal(outside["far"][name], expected[name])
        assert table["far"][name] == detection(known[name], expected[name])
    assert table["far"]["mahalanobis"]["auroc"] > 0.99


def test_sets_are_cut_to_the_smaller_one():
    model, known_x, sets = _case(Deterministic)
    known, outside, table = out_of_distribution(
        model, known_x, {**sets, "many": np.concatenate([sets["far"]] * 5)},
        ["max_probability"])
    assert len(known["max_probability"]) == 60
    assert len(outside["few"]["max_probability"]) == 20
    chosen = np.linspace(0, 59, 20).round().astype(int)  # From the first to the last.
    assert table["few"]["max_probability"] == detection(
        known["max_probability"][chosen], outside["few"]["max_probability"])
    chosen = np.linspace(0, 299, 60).round().astype(int)
    assert table["many"]["max_probability"] == detection(
        known["max_probability"], outside["many"]["max_probability"][chosen])
    constant = out_of_distribution(
        model, known_x, {"few": sets["few"], "many": np.repeat(sets["far"], 5, 0)},
        [], mahalanobis=lambda x: np.zeros(len(x)))[2]
    for found in constant.values():
        assert found["mahalanobis"]["aupr_out"] == 0.5


def test_progress_is_shown_where_asked(capsys):
    model, known_x, sets = _case(Deterministic)
    out_of_distribution(model, known_x, sets, ["entropy"], verbose=1)
    assert "3/3" in capsys.readouterr().out
    out_of_distribution(model, known_x, sets, ["entropy"])
    assert not capsys.readouterr().out
