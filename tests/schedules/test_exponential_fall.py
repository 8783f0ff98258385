"""A schedule that falls to its floor."""

import keras
import numpy as np
import pytest

from bdlzoo import ExponentialFall


def test_published_temperature_reaches_its_floor_at_step_73241():
    tau = ExponentialFall(3.0, 1.5e-5, floor=1.0)
    np.testing.assert_allclose(tau(0), 3.0)
    np.testing.assert_allclose(tau(10_000), 3.0 * np.exp(-0.15), rtol=1e-6)
    assert float(tau(73_200)) > 1.0
    assert float(tau(73_241)) == float(tau(10**9)) == 1.0


def test_value_stays_between_two_refreshments():
    tau = ExponentialFall(1.0, 1e-3, floor=0.1, every=500)
    np.testing.assert_allclose([tau(step) for step in (0, 499, 500, 999, 1500)],
                               np.exp([0.0, 0.0, -0.5, -0.5, -1.5]), rtol=1e-6)


def test_schedule_is_made_again_from_its_config():
    tau = ExponentialFall(2.0, 0.1, 0.5, every=2)
    serialize = keras.optimizers.schedules.serialize
    again = keras.optimizers.schedules.deserialize(serialize(tau))
    assert float(again(3)) == float(tau(3))


@pytest.mark.parametrize("wrong", [{"rate": -0.1}, {"floor": 0.0}, {"floor": 4.0},
                                   {"every": 0}])
def test_impossible_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match=f"Received: {next(iter(wrong))}="):
        ExponentialFall(**{"initial": 3.0, "rate": 0.1, "floor": 1.0, **wrong})
