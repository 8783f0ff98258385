"""Brier score against numbers known by hand."""

import numpy as np
import pytest
import scipy.special

from bdlzoo.metrics.brier_score import BrierScore

LOGITS = [[2, 0, 0], [0, 3, 0], [1, 0.5, 0], [0, 0, 4], [0.2, 0, 0], [2.5, 2, 0]]
LABELS = [0, 1, 1, 2, 0, 2]


def _brier(labels, probabilities):
    metric = BrierScore()
    metric.update_state(np.array(labels), np.array(probabilities))
    return float(metric.result())


def test_six_rows_give_the_known_value():
    probabilities = scipy.special.softmax(LOGITS, axis=-1)
    assert _brier(LABELS, probabilities) == pytest.approx(0.469415, abs=1e-5)


def test_certain_and_right_is_zero_certain_and_wrong_two():
    assert _brier([0, 1, 2], np.eye(3)) == 0.0
    assert _brier([1, 2, 0], np.eye(3)) == 2.0


@pytest.mark.parametrize("classes", [2, 5])
def test_uniform_is_one_minus_one_over_classes(classes):
    uniform = np.full((4, classes), 1 / classes)
    assert _brier([0, 1, 0, 1], uniform) == pytest.approx(1 - 1 / classes)


def test_binary_is_twice_the_one_column_convention():
    assert _brier([1], [0.75]) == 2 * 0.25**2
