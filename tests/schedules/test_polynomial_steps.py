"""Learning rates that fall as a power of the step."""

import keras
import numpy as np
import pytest

import bdlzoo


def test_polynomial_steps_fall_as_their_formula():
    rate = bdlzoo.PolynomialSteps(0.3, delay=10.0, power=0.55)
    steps = np.array([0, 10, 990])
    np.testing.assert_allclose([rate(step) for step in steps],
                               0.3 * (1 + steps / 10.0) ** -0.55, rtol=1e-6)


def test_an_optimiser_is_saved_with_it():
    rate = bdlzoo.PolynomialSteps(0.3, 10.0, 0.6)
    optimizer = keras.optimizers.SGD(rate)
    again = keras.optimizers.deserialize(keras.optimizers.serialize(optimizer))
    optimizer.iterations.assign(5)
    again.iterations.assign(5)
    assert float(again.learning_rate) == float(optimizer.learning_rate) == rate(5)


@pytest.mark.parametrize("make, words", [
    (lambda: bdlzoo.PolynomialSteps(0.1, power=0.5), "power=0.5"),
    (lambda: bdlzoo.PolynomialSteps(0.1, power=1.1), "power=1.1"),
    (lambda: bdlzoo.PolynomialSteps(0.0), "initial_rate=0.0")])
def test_what_is_no_schedule_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
