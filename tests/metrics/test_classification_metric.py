"""What all metrics of class probabilities must do."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from bdlzoo import metrics

KINDS = {
    "nll": metrics.NegativeLogLikelihood,
    "brier": metrics.BrierScore,
    "ece": metrics.ExpectedCalibrationError,
    "mce": metrics.MaximumCalibrationError,
    "adaptive_ece": metrics.AdaptiveCalibrationError,
    "classwise_ece": lambda **kwargs: metrics.ClasswiseCalibrationError(
        num_classes=3, **kwargs),
}
try:  # Two devices for the replicas, unless TensorFlow has started already.
    tf.config.set_logical_device_configuration(
        tf.config.list_physical_devices("CPU")[0],
        [tf.config.LogicalDeviceConfiguration()] * 2)
except RuntimeError:
    pass


def _rows(size=50):
    random = np.random.default_rng(3)
    probabilities = random.dirichlet([0.5] * 3, size).astype("float32")
    return random.integers(0, 3, size), probabilities, random.uniform(
        0.5, 2.0, size).astype("float32")


def _value(metric, *rows):
    metric.update_state(*rows)
    return float(metric.result())


@pytest.mark.parametrize("name", KINDS)
def test_default_name_is_the_word_of_the_logs(name):
    assert KINDS[name]().name == name


@pytest.mark.parametrize("name", KINDS)
def test_nothing_seen_gives_zero(name):
    metric = KINDS[name]()
    assert float(metric.result()) == 0.0
    assert _value(metric, *_rows()) > 0.0
    metric.reset_state()
    assert float(metric.result()) == 0.0


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=10, deadline=None)
@given(cuts=st.lists(st.integers(1, 49), max_size=3, unique=True))
def test_stream_of_batches_equals_one_batch(name, cuts):
    labels, probabilities, weights = _rows()
    metric = KINDS[name]()
    for part in np.split(np.arange(50), sorted(cuts)):
        metric.update_state(labels[part], probabilities[part], weights[part])
    np.testing.assert_allclose(
        metric.result(), _value(KINDS[name](), *_rows()), rtol=1e-5)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("column", [False, True])
def test_weight_of_two_equals_the_row_twice(name, column):
    labels, probabilities, _ = _rows()
    weights = np.where(np.arange(50) < 20, 2.0, 1.0)
    weights = weights[:, None] if column else weights
    doubled = np.r_[np.arange(50), np.arange(20)]
    np.testing.assert_allclose(
        _value(KINDS[name](), labels, probabilities, weights),
        _value(KINDS[name](), labels[doubled], probabilities[doubled]),
        rtol=1e-5)
    assert abs(_value(KINDS[name](), labels, probabilities, weights)
               - _value(KINDS[name](), labels, probabilities)) > 1e-4


@pytest.mark.parametrize("name", KINDS)
def test_weight_of_zero_removes_the_row(name):
    labels, probabilities, _ = _rows()
    keep = np.arange(50) >= 20
    np.testing.assert_allclose(
        _value(KINDS[name](), labels, probabilities, keep.astype("float32")),
        _value(KINDS[name](), labels[keep], probabilities[keep]), rtol=1e-5)


@pytest.mark.parametrize("name", KINDS)
def test_label_column_and_scalar_weight_change_nothing(name):
    labels, probabilities, _ = _rows()
    assert (_value(KINDS[name](), labels[:, None], probabilities, 1.0)
            == _value(KINDS[name](), labels, probabilities))


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("shape", [(-1,), (-1, 1)])
def test_probability_of_class_one_equals_two_columns(name, shape):
    labels, probabilities, _ = _rows()
    labels, one = labels % 2, probabilities[:, 0]
    kind = KINDS[name]
    if name == "classwise_ece":
        def kind():
            return metrics.ClasswiseCalibrationError(num_classes=2)
    np.testing.assert_allclose(
        _value(kind(), labels, one.reshape(shape)),
        _value(kind(), labels, np.stack([1 - one, one], axis=-1)), rtol=1e-6)


@pytest.mark.parametrize("name", KINDS)
def test_jit_equals_plain(name):
    plain, jitted = KINDS[name](), KINDS[name]()
    rows = [tf.constant(part) for part in _rows()]
    update = tf.function(jitted.update_state, jit_compile=True)
    result = tf.function(jitted.result, jit_compile=True)
    for _ in range(2):
        plain.update_state(*rows)
        update(*rows)
    np.testing.assert_allclose(result(), plain.result(), rtol=1e-5)


@pytest.mark.parametrize("name", KINDS)
def test_config_round_trip_keeps_everything(name):
    options = {} if name in ("nll", "brier") else {"num_bins": 4}
    metric = KINDS[name](name="other", **options)
    again = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(metric))
    assert type(again) is type(metric)
    assert again.get_config() == metric.get_config()
    assert again.name == "other"
    assert _value(again, *_rows()) == _value(metric, *_rows())


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
    rows = [tf.constant(part) for part in _rows()]

    def half():
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        index = tf.range(25) + 25 * replica
        metric.update_state(*[tf.gather(part, index) for part in rows])

    tf.function(lambda: strategy.run(half))()
    np.testing.assert_allclose(
        metric.result(), _value(KINDS[name](), *_rows()), rtol=1e-5)


def test_plain_keras_model_reports_all_of_them():
    labels, _, weights = _rows(40)
    inputs = np.random.default_rng(1).normal(size=(40, 4)).astype("float32")
    model = keras.Sequential([keras.layers.Dense(3, activation="softmax")])
    model.compile("sgd", "sparse_categorical_crossentropy",
                  weighted_metrics=[kind() for kind in KINDS.values()])
    logs = model.evaluate(inputs, labels, sample_weight=weights, batch_size=16,
                          verbose=0, return_dict=True)
    probabilities = model.predict(inputs, verbose=0)
    for name, kind in KINDS.items():
        np.testing.assert_allclose(
            logs[name], _value(kind(), labels, probabilities, weights),
            rtol=1e-4)


def test_binary_keras_model_trains_with_them():
    inputs = np.random.default_rng(1).normal(size=(64, 2)).astype("float32")
    labels = (inputs.sum(axis=-1) > 0).astype("int32")
    model = keras.Sequential([keras.layers.Dense(1, activation="sigmoid")])
    model.compile(keras.optimizers.Adam(0.1), "binary_crossentropy",
                  metrics=[metrics.NegativeLogLikelihood(),
                           metrics.BrierScore()])
    logs = model.fit(inputs, labels, epochs=10, verbose=0).history
    np.testing.assert_allclose(logs["nll"], logs["loss"], rtol=1e-3)
    assert logs["brier"][-1] < logs["brier"][0]


@pytest.mark.parametrize("name", KINDS)
def test_one_hot_rows_and_positions_equal_rows_of_indices(name):
    labels, probabilities, weights = _rows(48)
    expected = _value(KINDS[name](), labels, probabilities, weights)
    for forms in ((np.eye(3, dtype="int64")[labels], probabilities, weights),
                  (labels.reshape(4, 12), probabilities.reshape(4, 12, 3),
                   weights.reshape(4, 12)),
                  (np.eye(3)[labels].reshape(4, 2, 6, 3),
                   probabilities.reshape(4, 2, 6, 3), weights.reshape(4, 2, 6, 1))):
        np.testing.assert_allclose(_value(KINDS[name](), *forms), expected, rtol=1e-5)
    rows = np.float32([1.0, 0.0, 2.0, 0.5])  # Weights of rows hold for positions.
    np.testing.assert_allclose(
        _value(KINDS[name](), labels.reshape(4, 12),
               probabilities.reshape(4, 12, 3), rows),
        _value(KINDS[name](), labels, probabilities, np.repeat(rows, 12)), rtol=1e-5)


@pytest.mark.parametrize("name", KINDS)
def test_labels_of_another_shape_are_refused_by_their_axis(name):
    for shape, words in (((2,), r"\[B, 4\].*Received: y_true"),
                         ((2, 5), "4 on axis 1"), ((2, 4, 2), r"\[B, 4, 3\]")):
        with pytest.raises(ValueError, match=words):
            KINDS[name]().update_state(np.zeros(shape), np.ones((2, 4, 3)) / 3)


@pytest.mark.parametrize("name", ["ece", "mce", "adaptive_ece", "classwise_ece"])
def test_zero_bins_are_refused(name):
    with pytest.raises(ValueError, match="Received: num_bins=0"):
        KINDS[name](num_bins=0)


@pytest.mark.parametrize("name", KINDS)
def test_no_rows_and_rows_without_weight_add_nothing(name):
    labels, probabilities, _ = _rows()
    metric = KINDS[name]()
    metric.update_state(labels[:0], probabilities[:0])
    metric.update_state(labels, probabilities, np.zeros(50))
    assert float(metric.result()) == 0.0
    assert _value(metric, labels, probabilities) == _value(
        KINDS[name](), labels, probabilities) > 0.0


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("label", [3, -1, 1.5])
def test_label_that_is_no_class_is_never_scored(name, label):
    """The likelihood of class 3 of 3 was 1, and class 3 counted as class 0."""
    labels, probabilities, weights = _rows(4)
    labels = labels.astype("float32")
    labels[1] = label
    with pytest.raises(ValueError, match=rf"from 0 to 2.*Received: .*{label}"):
        KINDS[name]().update_state(labels, probabilities)
    metric = KINDS[name]()
    tf.function(metric.update_state)(labels, probabilities)
    assert np.isnan(metric.result())
    weights[1] = 0.0
    assert _value(KINDS[name](), labels, probabilities, weights) == pytest.approx(
        _value(KINDS[name](), np.delete(labels, 1), np.delete(probabilities, 1, axis=0),
               np.delete(weights, 1)), rel=1e-5)
