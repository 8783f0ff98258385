"""A schedule that waits, then rises along a line."""

import keras
import numpy as np
import pytest

from bdlzoo.schedules import LinearRise


def test_rise_is_a_line_between_two_levels():
    rise = LinearRise(0.8, start=100, length=50)
    found = [float(rise(step)) for step in (0, 100, 110, 125, 150, 10**6)]
    np.testing.assert_allclose(found, [0.0, 0.0, 0.16, 0.4, 0.8, 0.8], rtol=1e-6)


def test_schedule_is_made_again_from_its_config():
    rise = LinearRise(0.3, start=1, length=5)
    again = keras.optimizers.schedules.deserialize(
        keras.optimizers.schedules.serialize(rise))
    assert float(again(3)) == float(rise(3)) == pytest.approx(0.12)


@pytest.mark.parametrize("wrong", [{"start": -1}, {"length": 0}])
def test_impossible_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match=f"Received: {next(iter(wrong))}="):
        LinearRise(**{"peak": 1.0, "start": 1, "length": 2, **wrong})
