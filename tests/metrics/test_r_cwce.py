"""R-CWCE is (1 - R2) CWCE, in the published table and in a stream."""

import keras
import numpy as np
import pytest

from bdlzoo.metrics import CWCE, R2, RCWCE

# R2, CWCE and R-CWCE as printed, of six methods on two sets of hourly counts.
PUBLISHED = (
    (0.877, 52.15, 6.428), (0.892, 10.55, 1.136), (0.843, 21.49, 3.373),
    (0.928, 9.08, 0.655), (0.920, 9.31, 0.747), (0.939, 2.89, 0.177),
    (0.878, 34.44, 4.205), (0.914, 22.80, 1.951), (0.838, 42.57, 6.904),
    (0.943, 4.88, 0.280), (0.945, 6.04, 0.335))
_MISPRINT = (0.964, 2.93, 0.173)  # The twelfth: 0.105 by its own two factors.


def _stream(metric, targets, mean, variance, weights=None, batches=1):
    order = np.random.default_rng(5).permutation(len(targets))
    for rows in np.array_split(order, batches):
        pairs = np.stack([mean, variance], axis=-1)[rows]
        seen = pairs if getattr(metric, "reads_prediction", False) else mean[rows]
        metric.update_state(targets[rows], seen,
                            None if weights is None else weights[rows])
    return float(metric.result())


def _rows(offset=0.0, outputs=1):
    random = np.random.default_rng(0)
    mean = offset + random.normal(size=(200, outputs))
    targets = mean + 0.7 * random.normal(size=mean.shape)
    return (targets.astype("float32"), mean.astype("float32"),
            np.full(mean.shape, 0.1, "float32"))


def _forecast(r2, cwce_of):
    """Rows whose R2 is `r2`, at a width whose CWCE is `cwce_of` or close."""
    random = np.random.default_rng(1)
    targets = random.normal(size=(2000, 1))
    noise = random.normal(size=targets.shape)
    # An error that is uncorrelated with the targets, of the variance asked for.
    noise -= noise.mean() + targets * np.mean(noise * targets) / np.var(targets)
    noise *= np.sqrt((1 - r2) * np.var(targets) / np.mean(noise**2))
    low, high = 1e-4, 1.0  # Too narrow to just right: the error falls.
    for _ in range(40):
        scale = np.sqrt(low * high)
        found = _stream(CWCE(), targets, targets + noise,
                        np.full_like(targets, (scale * noise.std())**2))
        low, high = (scale, high) if found > cwce_of else (low, scale)
    return targets, targets + noise, np.full_like(
        targets, (scale * noise.std())**2)


@pytest.mark.parametrize("r2, cwce, published", PUBLISHED)
def test_published_cells_follow_from_their_two_factors(r2, cwce, published):
    value = _stream(RCWCE(), *_forecast(r2, cwce))
    # R2 has three digits: half of the last one is what it leaves open.
    assert value == pytest.approx(published, abs=0.0006 * cwce + 0.005)


def test_twelfth_cell_does_not():
    r2, cwce, published = _MISPRINT
    assert _stream(RCWCE(), *_forecast(r2, cwce)) < 0.7 * published


@pytest.mark.parametrize("offset", [0.0, 1e3])
@pytest.mark.parametrize("outputs", [1, 2])
def test_stream_equals_the_product_of_the_two(offset, outputs):
    rows = _rows(offset, outputs)
    weights = np.random.default_rng(2).uniform(size=200)
    r2 = _stream(R2(outputs), *rows, weights)
    cwce = _stream(CWCE(), *rows, weights)
    assert _stream(RCWCE(outputs), *rows, weights, batches=6) == pytest.approx(
        (1 - r2) * cwce, rel=1e-4)


def test_right_means_have_none_whatever_their_width():
    targets, _, variance = _rows()
    assert _stream(RCWCE(), targets, targets, variance) == 0.0
    assert _stream(CWCE(), targets, targets, variance) > 30.0


def test_worse_than_the_average_pays_more_than_the_calibration_error():
    targets, mean, variance = _rows()
    rows = targets, -mean, variance
    assert _stream(R2(), *rows) < 0.0
    assert _stream(RCWCE(), *rows) > _stream(CWCE(), *rows)


def test_constant_targets_that_are_missed_leave_the_calibration_error():
    targets, variance = np.full((30, 1), 2.0), np.full((30, 1), 0.5)
    mean = targets + 0.5
    cwce = _stream(CWCE(), targets, mean, variance)
    assert _stream(R2(), targets, mean, variance) == 0.0 and cwce > 1.0
    assert _stream(RCWCE(), targets, mean, variance, batches=3) == pytest.approx(cwce)
    assert _stream(RCWCE(), targets, targets, variance) == 0.0


def test_one_row_is_undefined():
    rows = np.array([[1.0]]), np.array([[2.0]]), np.array([[1.0]])
    assert np.isnan(_stream(RCWCE(), *rows)) and np.isnan(_stream(R2(), *rows))


def test_float64_far_from_zero_is_the_same_as_near():
    targets, mean, variance = (part.astype("float64") for part in _rows())
    near = _stream(RCWCE(), targets, mean, variance, batches=4)
    assert _stream(RCWCE(), 1e8 + targets, 1e8 + mean, variance,
                   batches=4) == pytest.approx(near, rel=1e-5)


def test_config_comes_back_and_nothing_seen_is_no_error():
    metric = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(RCWCE(3)))
    assert metric.num_outputs == 3 and metric.name == "r_cwce"
    assert float(metric.result()) == 0.0
