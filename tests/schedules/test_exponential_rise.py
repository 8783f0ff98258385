"""A schedule that waits, then rises to 1."""

import keras
import numpy as np
import pytest

from bdlzoo import ExponentialRise


def test_published_weight_of_clusters():
    alpha = ExponentialRise(5000, 10000)
    assert float(alpha(0)) == float(alpha(4999)) == 0.0
    np.testing.assert_allclose(alpha(5000), np.exp(-10.0), rtol=1e-5)
    np.testing.assert_allclose(alpha(10000), np.exp(-5.0), rtol=1e-5)
    assert float(alpha(15000)) == float(alpha(10**7)) == 1.0
    values = np.array([float(alpha(step)) for step in range(0, 20000, 250)])
    assert (np.diff(values) >= 0).all() and values.min() >= 0 and values.max() <= 1


def test_schedule_is_made_again_from_its_config():
    alpha = ExponentialRise(3, 5, sharpness=2.0)
    again = keras.optimizers.schedules.deserialize(
        keras.optimizers.schedules.serialize(alpha))
    assert float(again(5)) == float(alpha(5))


@pytest.mark.parametrize("wrong", [{"start": -1}, {"length": 0}, {"sharpness": 0.0}])
def test_impossible_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match=f"Received: {next(iter(wrong))}="):
        ExponentialRise(**{"start": 1, "length": 2, **wrong})
