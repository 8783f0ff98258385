"""Expected calibration error against numbers known by hand."""

import numpy as np
import pytest
import scipy.special

from bdlzoo.metrics.expected_calibration_error import ExpectedCalibrationError

LOGITS = [[2, 0, 0], [0, 3, 0], [1, 0.5, 0], [0, 0, 4], [0.2, 0, 0], [2.5, 2, 0]]
LABELS = [0, 1, 1, 2, 0, 2]


def _ece(labels, probabilities, **options):
    metric = ExpectedCalibrationError(**options)
    metric.update_state(np.array(labels), np.array(probabilities, "float32"))
    return metric


def test_six_rows_give_the_known_value():
    metric = _ece(LABELS, scipy.special.softmax(LOGITS, axis=-1), num_bins=5)
    assert float(metric.result()) == pytest.approx(0.343073, abs=1e-5)


def test_default_is_fifteen_bins():
    assert ExpectedCalibrationError().num_bins == 15


def test_full_confidence_lands_in_the_last_bin():
    metric = _ece([1, 1], [[1.0, 0.0], [1.0, 0.0]])
    assert np.flatnonzero(metric.gap).tolist() == [14]
    assert float(metric.result()) == 1.0


@pytest.mark.parametrize("confidence, place", [
    (0.5, 1), (np.nextafter(np.float32(0.5), np.float32(1)), 2), (0.75, 2)])
def test_bins_are_closed_on_the_right(confidence, place):
    metric = _ece([0], [[confidence, 1 - confidence]], num_bins=4)
    assert np.flatnonzero(metric.gap).tolist() == [place]


def test_gaps_of_one_bin_cancel_before_the_absolute_value():
    """Two rows of confidence 0.75, one right: |1/2 - 3/4|."""
    metric = _ece([0, 1], [[0.75, 0.25], [0.75, 0.25]])
    assert float(metric.result()) == 0.25


def test_calibrated_simulation_gives_little_and_overconfidence_much():
    random = np.random.default_rng(0)
    probabilities = random.dirichlet([0.5] * 4, 20_000)
    draws = random.uniform(size=(20_000, 1))
    labels = (draws > probabilities.cumsum(axis=-1)[:, :-1]).sum(axis=-1)
    # Of the order of sqrt(bins / rows), which is 0.027.
    assert float(_ece(labels, probabilities).result()) < 0.015
    sharp = probabilities**4 / (probabilities**4).sum(axis=-1, keepdims=True)
    assert float(_ece(labels, sharp).result()) > 0.1
