"""A schedule that rises from 0 to 1."""

import keras
import numpy as np
import pytest

from bdlzoo import SigmoidRise


def test_published_reversal():
    rise = SigmoidRise(40000)
    assert float(rise(0)) == 0.0
    for share, expected in ((0.1, 0.462117), (0.5, 0.986614), (1.0, 0.999909)):
        np.testing.assert_allclose(rise(int(40000 * share)), expected, rtol=1e-5)
    values = np.array([float(rise(step)) for step in range(0, 80000, 1000)])
    assert (np.diff(values) >= 0).all() and values.max() <= 1


def test_schedule_is_made_again_from_its_config():
    rise = SigmoidRise(7, sharpness=3.0)
    again = keras.optimizers.schedules.deserialize(
        keras.optimizers.schedules.serialize(rise))
    assert float(again(5)) == float(rise(5))


@pytest.mark.parametrize("wrong", [{"length": 0}, {"sharpness": -1.0}])
def test_impossible_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match=f"Received: {next(iter(wrong))}="):
        SigmoidRise(**{"length": 2, **wrong})
