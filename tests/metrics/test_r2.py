"""R2 against scikit-learn, also far from zero."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from sklearn import metrics

from bdlzoo.metrics import R2, RCWCE

try:  # Two devices for the replicas, unless TensorFlow has started already.
    tf.config.set_logical_device_configuration(
        tf.config.list_physical_devices("CPU")[0],
        [tf.config.LogicalDeviceConfiguration()] * 2)
except RuntimeError:
    pass


@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("num_outputs", [1, 2])
def test_stream_matches_scikit_learn(offset, num_outputs):
    rng = np.random.default_rng(0)
    y = offset + rng.normal(size=(90, num_outputs))
    mean = y + 0.5 * rng.normal(size=y.shape)
    weight = rng.uniform(size=90)
    r2 = R2(num_outputs)
    for rows in (slice(40), slice(40, None)):
        r2.update_state(y[rows], mean[rows], sample_weight=weight[rows])
    np.testing.assert_allclose(
        r2.result(), metrics.r2_score(y, mean, sample_weight=weight), atol=1e-6)


def test_flat_targets_are_not_broadcast():
    r2 = R2()
    r2.update_state(np.arange(4.0), np.arange(4.0)[:, None])
    assert float(r2.result()) == 1.0


@pytest.mark.parametrize("size", [7, 60])
@pytest.mark.parametrize("offset", [1e8, -3e8])
def test_float64_far_from_zero_matches_scikit_learn(offset, size):
    """Squares of 1e16 leave no digit for a spread of 1."""
    rng = np.random.default_rng(1)
    y = offset + rng.normal(size=60)
    mean = y + 0.5 * rng.normal(size=60)
    r2 = R2()
    for first in range(0, 60, size):
        rows = slice(first, first + size)
        r2.update_state(y[rows], mean[rows])
    np.testing.assert_allclose(r2.result(), metrics.r2_score(y, mean), atol=1e-6)


@pytest.mark.parametrize("value", [0.1, 1e8 + 0.3])
def test_constant_targets_give_0_if_missed_and_1_if_met(value):
    y = np.full((9, 2), value)
    missed = np.stack([y[:, 0], y[:, 1] + 0.5], axis=-1)
    for mean, expected in ((y, 1.0), (y + 0.5, 0.0), (missed, 0.5)):
        # scikit-learn agrees where the mean of the targets is exact.
        assert metrics.r2_score(np.zeros_like(y), mean - y) == expected
        for size in (4, 9):
            r2 = R2(2)
            for first in range(0, 9, size):
                r2.update_state(y[first:first + size], mean[first:first + size],
                                sample_weight=np.full(len(y[first:first + size]), 0.3))
            assert float(r2.result()) == expected


def test_one_row_is_undefined_and_none_is_zero():
    r2 = R2()
    assert float(r2.result()) == 0.0
    r2.update_state(np.ones(3), np.zeros(3), sample_weight=np.zeros(3))
    assert float(r2.result()) == 0.0  # Rows without weight are none.
    r2.update_state(np.array([2.0]), np.array([1.5]))
    with pytest.warns(UserWarning, match="less than two samples"):
        expected = metrics.r2_score([2.0], [1.5])
    assert np.isnan(expected) and np.isnan(float(r2.result()))
    r2.update_state(np.array([4.0]), np.array([4.5]))
    assert float(r2.result()) == pytest.approx(metrics.r2_score([2, 4], [1.5, 4.5]))


def test_padding_far_away_takes_no_digits():
    y, mean = 1e8 + np.arange(4.0), 1e8 + np.array([0.0, 1.5, 2.0, 3.5])
    expected = metrics.r2_score(y, mean)
    r2 = R2()
    r2.update_state(np.r_[0.0, y], np.r_[0.0, mean], sample_weight=[0, 1, 1, 1, 1])
    np.testing.assert_allclose(r2.result(), expected, atol=1e-6)


def test_jit_equals_plain():
    rng = np.random.default_rng(2)
    y = 1e8 + rng.normal(size=(20, 1))
    mean = y + 0.5 * rng.normal(size=y.shape)
    plain, jitted = R2(), R2()
    update = tf.function(jitted.update_state, jit_compile=True)
    for rows in (slice(9), slice(9, None)):
        plain.update_state(y[rows], mean[rows])
        update(tf.constant(y[rows]), tf.constant(mean[rows]))
    np.testing.assert_allclose(jitted.result(), plain.result(), rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("metric", [R2, RCWCE])
def test_replicas_far_apart_equal_one_device(metric):
    devices = tf.config.list_logical_devices("CPU")
    if len(devices) < 2:
        pytest.skip("TensorFlow was started with one logical CPU.")
    strategy = tf.distribute.MirroredStrategy(
        [device.name for device in devices[:2]],
        tf.distribute.ReductionToOneDevice())
    with strategy.scope():
        shared = metric()
    rng = np.random.default_rng(3)
    y = 1e8 + rng.normal(size=(40, 1)) + np.repeat([0.0, 5.0], 20)[:, None]
    mean = y + 0.5 * rng.normal(size=y.shape)
    pairs = np.stack([mean, np.ones_like(mean)], -1) if metric is RCWCE else mean

    def half(start):
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        index = start + tf.range(10) + 20 * replica
        shared.update_state(tf.gather(y, index), tf.gather(pairs, index))

    for start in (0, 10):
        tf.function(lambda start=start: strategy.run(half, (start,)))()
    alone = metric()
    alone.update_state(y, pairs)
    np.testing.assert_allclose(shared.result(), alone.result(), rtol=1e-6)


def test_config_round_trip():
    copy = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(R2(3)))
    assert copy.num_outputs == 3 and copy.name == "r2"
