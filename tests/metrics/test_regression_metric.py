"""What all metrics of a predictive over numbers must do."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo import metrics
from bdlzoo.core.regression_prediction import RegressionPrediction

KINDS = {"coverage": metrics.IntervalCoverage, "width": metrics.IntervalWidth,
         "crps": metrics.CRPS, "cwce": metrics.CWCE, "epiw": metrics.EPIW}
try:  # Two devices for the replicas, unless TensorFlow has started already.
    tf.config.set_logical_device_configuration(
        tf.config.list_physical_devices("CPU")[0],
        [tf.config.LogicalDeviceConfiguration()] * 2)
except RuntimeError:
    pass


def _rows(outputs=2, draws=3):
    random = np.random.default_rng(0)
    shape = (draws, 30, outputs)
    pairs = np.stack([random.normal(size=shape),
                      random.uniform(0.1, 1.0, shape)], axis=-1)
    return (2.0 * random.normal(size=shape[1:]).astype("float32"),
            pairs.astype("float32"),
            random.uniform(0.5, 2.0, 30).astype("float32"))


def _value(metric, *rows):
    metric.update_state(*rows)
    return float(metric.result())


@pytest.mark.parametrize("name", KINDS)
def test_names_and_the_wish_for_a_prediction(name):
    assert KINDS[name]().name == name
    assert KINDS[name].reads_prediction


@pytest.mark.parametrize("name", KINDS)
def test_nothing_seen_gives_zero(name):
    metric = KINDS[name]()
    assert float(metric.result()) == 0.0
    assert _value(metric, *_rows()) > 0.0
    metric.reset_state()
    assert float(metric.result()) == 0.0


@pytest.mark.parametrize("name", KINDS)
def test_pairs_equal_the_prediction_they_describe(name):
    targets, pairs, weights = _rows()
    prediction = RegressionPrediction(pairs[..., 0], pairs[..., 1])
    assert (_value(KINDS[name](), targets, pairs, weights)
            == _value(KINDS[name](), targets, prediction, weights))


@pytest.mark.parametrize("name", KINDS)
def test_one_gaussian_equals_a_mixture_of_one(name):
    targets, pairs, _ = _rows(draws=1)
    assert (_value(KINDS[name](), targets, pairs[0])
            == _value(KINDS[name](), targets, pairs))


def test_flat_targets_meet_their_own_rows():
    """Rows 10 apart: a target against all rows would be covered by 1 in 8."""
    targets = 10.0 * np.arange(8.0)
    pairs = np.stack([targets, np.ones(8)], axis=-1)[:, None]  # [B, 1, 2]
    assert _value(metrics.IntervalCoverage(), targets, pairs) == 1.0
    assert _value(metrics.CRPS(), targets, pairs) < 0.3


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("size", [7, 16])
def test_stream_of_batches_equals_one_batch(name, size):
    targets, pairs, weights = _rows()
    metric = KINDS[name]()
    for i in range(0, 30, size):
        metric.update_state(targets[i:i + size], pairs[:, i:i + size],
                            weights[i:i + size])
    np.testing.assert_allclose(
        metric.result(), _value(KINDS[name](), *_rows()), rtol=1e-5)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("column", [False, True])
def test_weight_of_two_equals_the_row_twice(name, column):
    targets, pairs, _ = _rows()
    weights = np.where(np.arange(30) < 10, 2.0, 1.0)
    weights = weights[:, None] if column else weights
    doubled = np.r_[np.arange(30), np.arange(10)]
    weighted = _value(KINDS[name](), targets, pairs, weights)
    np.testing.assert_allclose(weighted, _value(
        KINDS[name](), targets[doubled], pairs[:, doubled]), rtol=1e-5)
    assert abs(weighted - _value(KINDS[name](), targets, pairs)) > 1e-4


@pytest.mark.parametrize("name", KINDS)
def test_jit_equals_plain(name):
    plain, jitted = KINDS[name](), KINDS[name]()
    rows = [tf.constant(part) for part in _rows()]
    update = tf.function(jitted.update_state, jit_compile=True)
    for _ in range(2):
        plain.update_state(*rows)
        update(*rows)
    np.testing.assert_allclose(jitted.result(), plain.result(), rtol=1e-5)


@pytest.mark.parametrize("name", KINDS)
def test_config_round_trip_keeps_everything(name):
    options = {"level": 0.5} if name in ("coverage", "width") else {}
    metric = KINDS[name](name="other", **options)
    again = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(metric))
    assert type(again) is type(metric)
    assert again.get_config() == metric.get_config()
    assert again.name == "other"
    assert _value(again, *_rows()) == _value(metric, *_rows())


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_replicas_sum_to_one_device(name):
    devices = tf.config.list_logical_devices("CPU")
    if len(devices) < 2:
        pytest.skip("TensorFlow was started with one logical CPU.")
    strategy = tf.distribute.MirroredStrategy(
        [device.name for device in devices[:2]],
        tf.distribute.ReductionToOneDevice())
    with strategy.scope():
        metric = KINDS[name]()
    targets, pairs, weights = [tf.constant(part) for part in _rows()]

    def half():
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        index = tf.range(15) + 15 * replica
        metric.update_state(tf.gather(targets, index),
                            tf.gather(pairs, index, axis=1),
                            tf.gather(weights, index))

    tf.function(lambda: strategy.run(half))()
    np.testing.assert_allclose(
        metric.result(), _value(KINDS[name](), *_rows()), rtol=1e-5)


@pytest.mark.parametrize("flat", [False, True])
def test_plain_keras_model_reports_all_of_them(flat):
    random = np.random.default_rng(1)
    inputs = random.normal(size=(40, 4)).astype("float32")
    targets = random.normal(size=(40,) if flat else (40, 1)).astype("float32")
    model = keras.Sequential([
        keras.layers.Dense(2, activation="softplus"),
        keras.layers.Reshape((1, 2))])  # [B, D, 2]
    model.compile("sgd", lambda y, pairs: keras.ops.mean(pairs),
                  metrics=[kind() for kind in KINDS.values()])
    logs = model.evaluate(inputs, targets, batch_size=16, verbose=0,
                          return_dict=True)
    pairs = model.predict(inputs, verbose=0)
    for name, kind in KINDS.items():
        np.testing.assert_allclose(
            logs[name], _value(kind(), targets, pairs), rtol=1e-4)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("shape", [(5, 2), (5, 1, 3), (2, 2, 5, 1, 2)])
def test_other_shapes_are_refused(name, shape):
    with pytest.raises(ValueError, match=r"pairs.*Received: y_pred.shape"):
        KINDS[name]().update_state(np.zeros(5), np.ones(shape))
