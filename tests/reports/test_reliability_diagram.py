"""Tests of the reliability diagram."""

import numpy as np
import pytest

from bdlzoo.metrics import ExpectedCalibrationError
from bdlzoo.reports import reliability_diagram


def _axes(probabilities, labels, **kwargs):
    return reliability_diagram(probabilities, labels, **kwargs).axes


def _points(axes):
    [line] = [line for line in axes.lines if line.get_label() == "model"]
    return line.get_xydata()


PROBABILITIES = np.array(
    [[0.3, 0.7], [0.1, 0.9], [0.9, 0.1], [0.2, 0.8], [0.45, 0.55]])
LABELS = np.array([1, 1, 1, 1, 0])


def test_points_are_mean_confidence_and_accuracy_of_used_bins():
    upper, _ = _axes(PROBABILITIES, LABELS, num_bins=5)
    # (0.4, 0.6] holds 0.55; (0.6, 0.8] holds 0.7, 0.8; (0.8, 1] holds 0.9 twice.
    np.testing.assert_allclose(
        _points(upper), [[0.55, 0.0], [0.75, 1.0], [0.9, 0.5]], rtol=1e-6)


def test_bins_are_closed_on_the_right():
    _, lower = _axes(np.array([[0.5, 0.5], [0.75, 0.25]]), [0, 0], num_bins=4)
    assert [bar.get_height() for bar in lower.patches] == [0, 1, 1, 0]


def test_gaps_reach_from_the_diagonal_to_the_accuracy():
    upper, _ = _axes(PROBABILITIES, LABELS, num_bins=5)
    [gaps] = upper.collections
    np.testing.assert_allclose(
        gaps.get_segments(), [[[0.55, 0.55], [0.55, 0.0]],
                              [[0.75, 0.75], [0.75, 1.0]],
                              [[0.9, 0.9], [0.9, 0.5]]], rtol=1e-6)


def test_bars_count_all_rows_at_their_bins():
    _, lower = _axes(PROBABILITIES, LABELS, num_bins=5)
    np.testing.assert_allclose([bar.get_x() for bar in lower.patches],
                               [0.0, 0.2, 0.4, 0.6, 0.8])
    assert [bar.get_height() for bar in lower.patches] == [0, 0, 1, 2, 2]


def test_title_has_the_error_of_the_metric():
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet(np.ones(4), 300)
    labels = rng.integers(0, 4, 300)
    metric = ExpectedCalibrationError(num_bins=15)
    metric.update_state(labels, probabilities)
    upper, lower = _axes(probabilities, labels[:, None])
    assert f"ECE = {float(metric.result()):.4f}" in upper.get_title()
    assert lower.get_xlabel() == "Confidence"


def test_probabilities_without_classes_are_refused():
    with pytest.raises(ValueError, match="Received: probabilities.shape"):
        reliability_diagram(np.array([0.2, 0.9]), [0, 1])
