"""SGHMC."""

import keras
import numpy as np
import pytest

from bdlzoo.methods import SGHMC
from tests.families import quadratic

SIZE = 2000


def _variance(rate, momentum, steps, target_noise=0.0):
    model = SGHMC(quadratic.network(SIZE), "gaussian", burn_in=200, thinning=20,
                  num_kept=200, prior_scale=None, seed=0)
    model.compile(keras.optimizers.SGD(rate, momentum=momentum), metrics=[])
    model.fit(quadratic.forever(SIZE, target_noise), steps_per_epoch=steps,
              num_data=1, verbose=0)
    return quadratic.spread(model)


def test_variance_tends_to_that_of_the_posterior():
    """T7.4: A = 4, eta = .05, a = .1; and what it tends to as eta falls."""
    np.testing.assert_allclose(_variance(0.05, 0.9, 1000), 0.264, rtol=0.03)
    np.testing.assert_allclose(_variance(0.005, 0.9, 1600), 0.25, rtol=0.03)


@pytest.mark.parametrize("momentum", [0.0, 1.0])
def test_friction_is_needed_and_not_all_there_is(momentum):
    model = SGHMC(quadratic.network(1), "gaussian")
    with pytest.raises(ValueError, match=f"momentum={momentum}"):
        model.compile(keras.optimizers.SGD(0.1, momentum=momentum))
