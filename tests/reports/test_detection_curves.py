"""Tests of the ROC curves of outside sets."""

import numpy as np

from bdlzoo.metrics import ranking
from bdlzoo.reports.detection_curves import detection_curves

SCORES = {"noise": (np.array([0.0, 1.0, 2.0, 3.0]), np.array([2.5, 4.0])),
          "tied": (np.array([1.0, 1.0]), np.array([1.0, np.inf]))}


def _lines(scores=SCORES):
    [axes] = detection_curves(scores, "entropy").axes
    return {line.get_label(): line.get_xydata() for line in axes.lines[1:]}


def test_curves_count_known_and_outside_rows_above_each_threshold():
    lines = _lines()
    np.testing.assert_allclose(
        lines["noise: AUROC 0.875"],
        [[0, 0], [0, 0.5], [0.25, 0.5], [0.25, 1], [0.5, 1], [0.75, 1], [1, 1]])
    # Equal scores pass together, hence a slope; an infinite one comes first.
    np.testing.assert_allclose(lines["tied: AUROC 0.750"],
                               [[0, 0], [0, 0.5], [1, 1]])


def test_area_under_the_curve_is_the_auroc():
    draws = np.random.default_rng(0).integers(0, 9, (2, 50)).astype("float64")
    [(label, points)] = _lines({"a": (draws[0], draws[1] + 1)}).items()
    area = np.trapezoid(points[:, 1], points[:, 0])
    expected = ranking.auroc(np.concatenate([draws[0], draws[1] + 1]),
                             np.repeat([0, 1], 50))
    np.testing.assert_allclose(area, expected)
    assert label == f"a: AUROC {expected:.3f}"


def test_axes_and_legend_say_what_is_seen():
    [axes] = detection_curves(SCORES, "entropy").axes
    assert "entropy" in axes.get_title()
    assert axes.get_xlabel() == "Share of known rows flagged"
    assert axes.get_ylabel() == "Share of outside rows flagged"
    names = [text.get_text().split(":")[0] for text in axes.get_legend().get_texts()]
    assert names == list(SCORES)
