"""Cells of a stream against a sort of all rows."""

import numpy as np
import pytest

from bdlzoo.metrics.adaptive_calibration_error import AdaptiveCalibrationError


def _sorted_error(labels, probabilities, num_bins):
    confidence = probabilities.max(axis=-1).astype("float64")
    gap = (probabilities.argmax(axis=-1) == labels) - confidence
    parts = np.array_split(gap[np.argsort(confidence, kind="stable")], num_bins)
    return sum(abs(part.sum()) for part in parts) / len(labels)


def _error(labels, probabilities, num_bins=15):
    metric = AdaptiveCalibrationError(num_bins=num_bins)
    for part in np.array_split(np.arange(len(labels)), 3):
        metric.update_state(labels[part], probabilities[part])
    return float(metric.result())


@pytest.mark.parametrize("crowding", [1, 4, 10])
@pytest.mark.parametrize("num_bins", [1, 10, 15])
def test_agrees_with_a_sort_to_a_thousandth(crowding, num_bins):
    """Gaps of both signs, so that a row in the wrong bin is seen.

    With a crowding of 10, half of the confidences are above 0.9995.
    """
    random = np.random.default_rng(0)
    confidence = 1.0 - 0.5 * random.uniform(size=6000) ** crowding
    probabilities = np.stack([confidence, 1 - confidence], -1).astype("float32")
    labels = (random.uniform(size=6000) > 0.8).astype("int32")
    exact = _sorted_error(labels, probabilities, num_bins)
    assert exact > 0.01
    assert _error(labels, probabilities, num_bins) == pytest.approx(
        exact, abs=1e-3)


def test_bins_have_equal_mass_and_not_equal_width():
    """Two halves: 0.625 always right, 0.875 always wrong."""
    top = np.repeat([0.625, 0.875], 50)
    probabilities = np.stack([top, 1 - top], axis=-1).astype("float32")
    labels = np.repeat([0, 1], 50)
    assert _error(labels, probabilities, 2) == pytest.approx(
        (0.375 + 0.875) / 2)
    assert _error(labels, probabilities, 1) == pytest.approx(0.25)


def test_equal_confidences_are_split_in_proportion():
    """Four rows at 0.75, one wrong, in two bins: |3/4 - 3/4| in both."""
    probabilities = np.tile([0.75, 0.25], (4, 1)).astype("float32")
    assert _error(np.array([1, 0, 0, 0]), probabilities, 2) == 0.0


def test_full_confidence_lands_in_the_last_cell():
    metric = AdaptiveCalibrationError()
    metric.update_state([0, 1], [[1.0, 0.0], [0.0, 1.0]])
    assert np.flatnonzero(metric.weight).tolist() == [4095]
    assert float(metric.result()) == 0.0


def test_cells_are_closed_on_the_right():
    edge = np.float32(0.75)
    above = np.nextafter(edge, np.float32(1))
    for confidence, cell in ((edge, 3071), (above, 3072)):
        metric = AdaptiveCalibrationError()
        metric.update_state([0], [[confidence, 1 - confidence]])
        assert np.flatnonzero(metric.weight).tolist() == [cell]
