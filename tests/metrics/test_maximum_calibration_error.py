"""Maximum calibration error against numbers known by hand."""

import numpy as np
import pytest
import scipy.special

from bdlzoo.metrics.expected_calibration_error import ExpectedCalibrationError
from bdlzoo.metrics.maximum_calibration_error import MaximumCalibrationError

LOGITS = [[2, 0, 0], [0, 3, 0], [1, 0.5, 0], [0, 0, 4], [0.2, 0, 0], [2.5, 2, 0]]
LABELS = [0, 1, 1, 2, 0, 2]


def test_six_rows_give_the_known_value():
    metric = MaximumCalibrationError(num_bins=5)
    metric.update_state(np.array(LABELS), scipy.special.softmax(LOGITS, axis=-1))
    assert float(metric.result()) == pytest.approx(0.620848, abs=1e-5)


def test_gap_is_a_mean_over_the_rows_of_its_bin():
    metric = MaximumCalibrationError()
    metric.update_state([1, 1, 0], [[1.0, 0.0], [1.0, 0.0], [0.75, 0.25]])
    assert float(metric.result()) == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_expected_error_never_exceeds_it(seed):
    random = np.random.default_rng(seed)
    rows = random.integers(0, 3, 40), random.dirichlet([1.0] * 3, 40)
    expected, maximum = ExpectedCalibrationError(), MaximumCalibrationError()
    expected.update_state(*rows)
    maximum.update_state(*rows)
    assert 0.0 < float(expected.result()) <= float(maximum.result()) <= 1.0
