"""Mean width over 99 levels against its quantiles."""

import keras
import numpy as np
import pytest
import scipy.stats

from bdlzoo.metrics import EPIW

LEVELS = np.arange(1, 100) / 100


def _epiw(pairs, weights=None):
    metric = EPIW()
    metric.update_state(np.zeros(np.shape(pairs)[-3:-1]), pairs, weights)
    return float(metric.result())


def test_gaussian_width_is_the_mean_of_all_levels():
    scales = np.array([0.5, 1.0, 3.0])
    pairs = np.stack([[7.0, -1.0, 0.0], scales**2], axis=-1)[:, None]
    widths = [2 * scipy.stats.norm.ppf(0.5 + level / 2) * scales.mean()
              for level in LEVELS]
    assert _epiw(pairs) == pytest.approx(np.mean(widths), rel=1e-6)
    assert _epiw(pairs) == pytest.approx(1.580 * scales.mean(), rel=1e-3)


def test_width_grows_with_the_unit_of_the_targets():
    pairs = np.random.default_rng(0).uniform(1.0, 2.0, (8, 1, 2))
    assert _epiw(pairs * [1000.0, 1000.0**2]) == pytest.approx(
        1000.0 * _epiw(pairs), rel=1e-5)


def test_mixture_is_as_wide_as_its_two_moments():
    pairs = np.ones((2, 1, 1, 2))
    pairs[0, ..., 0], pairs[1, ..., 0] = -3.0, 3.0
    assert _epiw(pairs) == pytest.approx(
        10**0.5 * _epiw(np.ones((1, 1, 2))), rel=1e-5)


def test_weights_count_as_repeated_rows():
    pairs = np.random.default_rng(0).uniform(1.0, 4.0, (3, 1, 2))
    assert _epiw(pairs, [2.0, 1.0, 1.0]) == pytest.approx(
        _epiw(pairs[[0, 0, 1, 2]]), rel=1e-6)
    assert abs(_epiw(pairs, [2.0, 1.0, 1.0]) - _epiw(pairs)) > 1e-3


def test_order_of_batches_does_not_matter_and_nothing_seen_is_no_width():
    metric = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(EPIW()))
    assert metric.name == "epiw" and float(metric.result()) == 0.0
    pairs = np.random.default_rng(0).uniform(1.0, 4.0, (9, 1, 2))
    for rows in ([8, 1], [0, 7, 6, 5], [2, 3, 4]):
        metric.update_state(np.zeros(len(rows)), pairs[rows])
    assert float(metric.result()) == pytest.approx(_epiw(pairs), rel=1e-6)
