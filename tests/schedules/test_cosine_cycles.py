"""Learning rates that fall along a cosine, in cycles."""

import keras
import numpy as np
import pytest

import bdlzoo


def test_cosine_cycles_start_again():
    """T7.7."""
    rate = bdlzoo.CosineCycles(0.5, cycle_steps=100)
    np.testing.assert_allclose([rate(0), rate(50), rate(100), rate(250)],
                               [0.5, 0.25, 0.5, 0.25], rtol=1e-6)
    assert 0 < rate(99) < 0.5 * 3e-4
    np.testing.assert_allclose([rate.phase(25), rate.phase(199)], [0.25, 0.99])


def test_an_optimiser_is_saved_with_it():
    rate = bdlzoo.CosineCycles(0.5, 7)
    optimizer = keras.optimizers.SGD(rate)
    again = keras.optimizers.deserialize(keras.optimizers.serialize(optimizer))
    optimizer.iterations.assign(5)
    again.iterations.assign(5)
    assert float(again.learning_rate) == float(optimizer.learning_rate) == rate(5)


def test_what_is_no_schedule_is_refused():
    with pytest.raises(ValueError, match="cycle_steps=0"):
        bdlzoo.CosineCycles(0.1, 0)
