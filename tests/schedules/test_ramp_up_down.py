"""A learning rate that rises and falls."""

import math

import keras
import numpy as np
import pytest

from bdlzoo.schedules import RampUp, RampUpDown


def test_values_of_both_ramps():
    """Of the paper: 300 epochs, up in 80, and down in the last 50."""
    rate = RampUpDown(0.003, 300, up=80 / 300, down=50 / 300)
    for epoch in (0, 40, 79):
        assert float(rate(epoch)) == pytest.approx(float(RampUp(0.003, 80)(epoch)))
    assert float(rate(150)) == pytest.approx(0.003)
    for e in (0, 10, 25, 50):
        assert float(rate(250 + e)) == pytest.approx(
            0.003 * math.exp(-((0.5 * e) ** 2) / 50), rel=1e-5)


def test_stays_low_after_the_end():
    rate = RampUpDown(1.0, 100)
    assert float(rate(1000)) == float(rate(100)) == pytest.approx(math.exp(-12.5))


def test_shares_of_zero_are_constant():
    rate = RampUpDown(1.0, 100, up=0.0, down=0.0)
    np.testing.assert_array_equal([float(rate(s)) for s in (0, 50, 100)], 1.0)


def test_config_makes_the_same_rate():
    rate = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(RampUpDown(2.0, 10, up=0.5, down=0.2)))
    assert [float(rate(s)) for s in (2, 9)] == [
        float(RampUpDown(2.0, 10, up=0.5, down=0.2)(s)) for s in (2, 9)]


@pytest.mark.parametrize("shares", [(0.7, 0.7), (-0.1, 0.5), (0.1, 1.5)])
def test_shares_that_do_not_fit_are_refused(shares):
    with pytest.raises(ValueError, match=f"up={shares[0]}"):
        RampUpDown(1.0, 100, *shares)
