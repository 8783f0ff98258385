"""The slot is the identity until something is fitted."""

import numpy as np
import tensorflow as tf

from bdlzoo.core.prediction import ClassPrediction
from bdlzoo.posthoc import Calibration

PREDICTION = ClassPrediction(tf.math.log([[[0.7, 0.2, 0.1]]]))


def test_slot_starts_as_the_identity():
    np.testing.assert_allclose(
        Calibration().correct(PREDICTION).mean, [[0.7, 0.2, 0.1]], atol=1e-6)


def test_slot_is_seen_by_a_function_that_was_traced_before():
    slot = Calibration()
    mean = tf.function(lambda: slot.correct(PREDICTION).mean)
    before = mean()
    slot.temperature.assign(1e6)
    np.testing.assert_allclose(mean(), [[1 / 3] * 3], atol=1e-5)
    assert not np.allclose(before, mean())
