"""SGHMC."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.methods import SGHMC
from tests.families import quadratic

SIZE = 2000


def _model(size, momentum, rate, **kwargs):
    model = SGHMC(quadratic.network(size), "gaussian", thinning=20, num_kept=200,
                  prior_scale=None, seed=0, **kwargs)
    model.compile(keras.optimizers.SGD(rate, momentum=momentum), metrics=[])
    return model


def _variance(rate, momentum, steps, target_noise=0.0, burn_in=200, **kwargs):
    model = _model(SIZE, momentum, rate, burn_in=burn_in, **kwargs)
    model.fit(quadratic.forever(SIZE, target_noise), steps_per_epoch=steps,
              num_data=1, verbose=0)
    return quadratic.spread(model)


def _expected(rate, momentum, batch_variance):
    """Stationary variance of the recursion for A = 4 and one row of data."""
    friction, curvature = 1.0 - momentum, quadratic.CURVATURE
    heat = 1.0 + rate * batch_variance / (2.0 * friction)
    return heat / curvature / (1.0 - rate * curvature / (2.0 * (1.0 + momentum)))


def test_variance_tends_to_that_of_the_posterior():
    """T7.4: A = 4, eta = .05, a = .1; and what it tends to as eta falls."""
    np.testing.assert_allclose(_variance(0.05, 0.9, 1000), 0.264, rtol=0.03)
    np.testing.assert_allclose(_variance(0.005, 0.9, 1600), 0.25, rtol=0.03)


@pytest.mark.parametrize("thermostat", [False, True])
def test_thermostat_takes_off_the_heat_of_batches(thermostat):
    """Noise of batches that gives 1.5 times the standard deviation."""
    rate, momentum = 0.02, 0.9
    batch_variance = 1.25 * 2.0 * (1.0 - momentum) / rate
    found = _variance(rate, momentum, 1200, np.sqrt(batch_variance / 4.0),
                      burn_in=600, thermostat=thermostat)
    expected = _expected(rate, momentum, 0.0 if thermostat else batch_variance)
    np.testing.assert_allclose(found, expected, rtol=0.04)


@pytest.mark.slow
@pytest.mark.parametrize("once_in_an_epoch", [False, True])
@pytest.mark.parametrize("thermostat, ratios", [
    (False, {False: (1.44, 1.58), True: (0.97, 1.05)}),
    (True, {False: (0.97, 1.04), True: (0.95, 1.04)})])
def test_ten_of_forty_rows_at_high_momentum(once_in_an_epoch, thermostat, ratios):
    """Closed form: w ~ N(sum x y / sum x^2, 1 / sum x^2) for y = w x + noise.

    The rate is that at which independent batches give 1.5 times the deviation.
    """
    random = np.random.default_rng(0)
    x = random.normal(size=(40, 1)).astype("float32")
    y = (0.7 * x + random.normal(size=(40, 300))).astype("float32")
    mean, variance = (x.T @ y) / np.sum(x**2), 1.0 / np.sum(x**2)
    batch_variance = np.mean((x * (mean * x - y))**2) / 10
    rate = float(1.25 * 2.0 * 0.02 / (batch_variance * 40))
    model = _model(300, 0.98, rate, burn_in=8000, thermostat=thermostat)
    data, rest = (x, y), {"batch_size": 10, "epochs": 3000}
    if not once_in_an_epoch:
        rows = random.integers(0, 40, (12_000, 10))
        data = (tf.data.Dataset.from_tensor_slices(rows).map(
            lambda some: (tf.gather(x, some), tf.gather(y, some))),)
        rest = {"num_data": 40}
    model.fit(*data, verbose=0, **rest)
    samples = model.kept_samples()[:, 0]
    ratio = np.sqrt(np.mean((samples - mean)**2) / variance)
    print(f"thermostat {thermostat}, once in an epoch {once_in_an_epoch}: {ratio:.3f}")
    least, most = ratios[once_in_an_epoch]
    assert least < ratio < most


def test_thermostat_needs_heat():
    with pytest.raises(ValueError, match="temperature=0"):
        SGHMC(quadratic.network(1), "gaussian", temperature=0, thermostat=True)


@pytest.mark.parametrize("momentum", [0.0, 1.0])
def test_friction_is_needed_and_not_all_there_is(momentum):
    model = SGHMC(quadratic.network(1), "gaussian")
    with pytest.raises(ValueError, match=f"momentum={momentum}"):
        model.compile(keras.optimizers.SGD(0.1, momentum=momentum))
