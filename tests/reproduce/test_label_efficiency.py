"""Asking and agreeing, on bundled digits."""

import numpy as np
import pytest

from bdlzoo import data
from tools.reproduce import consistency, label_efficiency

SMALL = dict(name="digits", num_steps=6, ramp_steps=2, batch_size=32, filters=(4, 4),
             hidden=8)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", list(label_efficiency.STRATEGIES))
def test_curve_has_a_point_for_each_number_of_labels(strategy):
    scores = label_efficiency.run(0, strategy, counts=(20, 30), num_candidates=50,
                                  **SMALL)
    assert list(scores) == ["accuracy_20", "accuracy_30"]


def test_asking_adds_labels_and_keeps_those_it_had():
    model = consistency.trained(0, "supervised", num_labels=20, **SMALL)
    y = data.load("digits", "train").y
    before = data.keep_labels(y, 20, 0)
    after = label_efficiency.asked(model, "digits", before, y, 33, 100, 0)
    assert (after >= 0).sum() == 33
    np.testing.assert_array_equal(after[before >= 0], before[before >= 0])
    np.testing.assert_array_equal(after[after >= 0], y[after >= 0])
