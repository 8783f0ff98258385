"""Calibration error over 99 levels: its limits, and a true forecast."""

import keras
import numpy as np
import pytest
import scipy.stats

from bdlzoo.core.regression_prediction import RegressionPrediction
from bdlzoo.metrics import CWCE

LEVELS = np.arange(1, 100) / 100


def _rows(count=20_000, seed=0):
    random = np.random.default_rng(seed)
    mean = random.normal(size=(count, 1))
    scale = random.uniform(0.3, 2.0, size=(count, 1))
    return random.normal(mean, scale), mean, scale


def _metric(targets, mean, scale, weights=None):
    metric = CWCE()
    metric.update_state(targets, np.stack([mean, scale**2], axis=-1), weights)
    return metric


def test_true_gaussian_forecasts_have_hardly_any():
    assert float(_metric(*_rows()).result()) < 1.0


@pytest.mark.parametrize("stretch", [0.5, 2.0])
def test_stretched_widths_give_the_error_of_the_formula(stretch):
    targets, mean, scale = _rows()
    metric = _metric(targets, mean, stretch * scale)
    ends = stretch * scipy.stats.norm.ppf(0.5 + LEVELS / 2)
    held = 2 * scipy.stats.norm.cdf(ends) - 1
    np.testing.assert_allclose(metric.average(), held, atol=0.015)
    assert np.all((np.array(metric.average()) > LEVELS) == (stretch > 1))
    expected = 100 * np.sum(LEVELS / LEVELS.sum() * np.abs(LEVELS - held))
    assert float(metric.result()) == pytest.approx(expected, abs=0.7)


def test_no_width_and_endless_width_are_the_two_limits():
    targets, mean, scale = _rows(50)
    assert float(_metric(targets, mean, 0 * scale).result()) == pytest.approx(
        100 * np.sum(LEVELS**2) / LEVELS.sum())
    assert float(_metric(targets, mean, 0 * scale).result()) == pytest.approx(
        66.33, abs=0.005)
    assert float(_metric(targets, mean, 1e15 * scale).result()) == pytest.approx(
        33.67, abs=0.005)
    assert float(_metric(mean, mean, 0 * scale).result()) == pytest.approx(
        33.67, abs=0.005)  # What is hit exactly is inside without a width.


def test_error_is_signless_and_level_by_level():
    """Targets at the ends of intervals of 0.25 and 0.75, on either side."""
    ends = scipy.stats.norm.ppf([0.5 - 0.125, 0.5 + 0.375])
    metric = _metric(ends[:, None], np.zeros((2, 1)), np.ones((2, 1)))
    held = 0.5 * (LEVELS > 0.25) + 0.5 * (LEVELS > 0.75)
    np.testing.assert_allclose(np.delete(metric.average(), [24, 74]),
                               np.delete(held, [24, 74]))


def test_mixture_counts_by_its_two_moments():
    """Components at -3 and 3 with variance 1: mean 0, variance 10."""
    targets = np.random.default_rng(0).normal(size=(300, 1))
    pairs = np.ones((2, 300, 1, 2))
    pairs[0, ..., 0], pairs[1, ..., 0] = -3.0, 3.0
    metric = CWCE()
    metric.update_state(targets, pairs)
    moments = _metric(targets, np.zeros((300, 1)), np.full((300, 1), 10**0.5))
    np.testing.assert_allclose(metric.result(), moments.result(), rtol=1e-6)


def test_order_and_size_of_batches_do_not_matter():
    targets, mean, scale = _rows(300)
    pairs = np.stack([mean, scale**2], axis=-1).astype("float32")
    weights = np.random.default_rng(1).uniform(size=300)
    whole = CWCE()
    whole.update_state(targets, pairs, weights)
    parts = CWCE()
    for rows in np.array_split(np.random.default_rng(2).permutation(300), 7):
        parts.update_state(targets[rows], pairs[rows], weights[rows])
    np.testing.assert_allclose(parts.result(), whole.result(), rtol=1e-6)


def test_weights_count_as_repeated_rows():
    targets, mean, scale = _rows(40)
    twice = np.r_[np.arange(40), np.arange(10)]
    weights = np.where(np.arange(40) < 10, 2.0, 1.0)
    weighted = _metric(targets, mean, scale, weights).result()
    np.testing.assert_allclose(
        weighted, _metric(targets[twice], mean[twice], scale[twice]).result())
    assert abs(weighted - _metric(targets, mean, scale).result()) > 0.01


def test_rows_and_outputs_count_alike_and_a_prediction_is_read():
    targets, mean, scale = _rows(60)
    flat = _metric(targets, mean, scale).result()
    square = RegressionPrediction(
        *(part.reshape(1, 30, 2) for part in (mean, scale**2)))
    metric = CWCE()
    metric.update_state(targets.reshape(30, 2), square)
    np.testing.assert_allclose(metric.result(), flat, rtol=1e-6)


def test_nothing_seen_is_no_error_and_the_config_comes_back():
    metric = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(CWCE()))
    assert metric.name == "cwce" and metric.reads_prediction
    assert float(metric.result()) == 0.0
