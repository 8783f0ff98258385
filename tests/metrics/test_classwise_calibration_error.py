"""Class-wise calibration error against numpy."""

import numpy as np
import pytest
import scipy.special

from bdlzoo.metrics.classwise_calibration_error import ClasswiseCalibrationError

LOGITS = [[2, 0, 0], [0, 3, 0], [1, 0.5, 0], [0, 0, 4], [0.2, 0, 0], [2.5, 2, 0]]
LABELS = np.array([0, 1, 1, 2, 0, 2])


def test_equals_the_mean_of_one_error_per_class():
    probabilities = scipy.special.softmax(LOGITS, axis=-1)
    edges = np.linspace(0.0, 1.0, 6)
    errors = []
    for c in range(3):
        hit, p = LABELS == c, probabilities[:, c]
        inside = [(low < p) & (p <= high) for low, high in
                  zip(edges[:-1], edges[1:], strict=True)]
        errors.append(sum(abs((hit[i] - p[i]).sum()) for i in inside) / 6)
    metric = ClasswiseCalibrationError(num_classes=3, num_bins=5)
    metric.update_state(LABELS, probabilities)
    assert float(metric.result()) == pytest.approx(np.mean(errors), abs=1e-5)


def test_sees_what_the_largest_probability_hides():
    """Right half the time at 0.5; the other half never goes where it says."""
    probabilities = np.tile([0.5, 0.375, 0.125], (4, 1))
    metric = ClasswiseCalibrationError(num_classes=3)
    metric.update_state([0, 0, 2, 2], probabilities)
    assert float(metric.result()) == pytest.approx(0.25)


def test_wrong_number_of_classes_is_refused():
    metric = ClasswiseCalibrationError(num_classes=4)
    with pytest.raises(ValueError, match="Received: num_classes=4"):
        metric.update_state(LABELS, scipy.special.softmax(LOGITS, axis=-1))
