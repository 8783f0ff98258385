"""A schedule that rises to its peak."""

import math

import keras
import numpy as np
import pytest

from bdlzoo.schedules import RampUp


def test_values_of_the_ramp():
    ramp = RampUp(2.0, ramp_steps=80)
    found = [float(ramp(step)) for step in (0, 20, 40, 80, 500)]
    expected = [2 * math.exp(-5), 2 * math.exp(-5 * 0.75**2), 2 * math.exp(-5 / 4), 2,
                2]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_no_ramp_is_the_peak_from_the_start():
    assert float(RampUp(3.0, 0)(0)) == 3.0


def test_config_makes_the_same_ramp():
    ramp = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(RampUp(2.0, 10)))
    assert float(ramp(3)) == float(RampUp(2.0, 10)(3))


def test_negative_ramp_is_refused():
    with pytest.raises(ValueError, match="ramp_steps=-1"):
        RampUp(1.0, -1)
