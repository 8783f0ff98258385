"""Vector scaling: the optimum, what it recovers and what has none."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.posthoc import fit_temperature, fit_vector_scaling


def _data(scale, shift, n=20_000):
    """A predictive, and labels drawn from it as scaled and shifted."""
    rng = np.random.default_rng(0)
    log_probs = np.asarray(tf.nn.log_softmax(2.0 * rng.normal(size=(n, 3))))
    logits = log_probs * scale + shift
    labels = (logits + rng.gumbel(size=logits.shape)).argmax(-1)
    return ClassPrediction(log_probs[None]), labels


def _nll(prediction, labels):
    return -np.mean(prediction.log_prob(labels))


def test_scales_and_shifts_are_recovered():
    scale, shift = np.array([0.5, 1.0, 1.5]), np.array([0.7, -0.2, -0.5])
    found = fit_vector_scaling(*_data(scale, shift))
    np.testing.assert_allclose(found[0], scale, atol=0.05)
    np.testing.assert_allclose(found[1], shift, atol=0.1)


def test_temperature_is_found_where_there_is_only_one():
    prediction, labels = _data(0.5, np.zeros(3))
    scale, shift = fit_vector_scaling(prediction, labels)
    np.testing.assert_allclose(scale, 1 / fit_temperature(prediction, labels),
                               atol=0.05)
    np.testing.assert_allclose(shift, 0.0, atol=0.1)


def test_optimum_has_the_frequencies_of_the_data():
    """The slope by a shift: mean probability less frequency of its class."""
    prediction, labels = _data(np.array([0.3, 1.0, 2.0]), np.arange(3.0), n=300)
    best = prediction.scaled(*fit_vector_scaling(prediction, labels))
    observed = np.eye(3)[labels]
    np.testing.assert_allclose(best.mean.mean(0), observed.mean(0), atol=1e-6)
    slope = (best.mean - observed) * prediction.log_mixture.numpy()
    np.testing.assert_allclose(slope.mean(0), 0.0, atol=1e-5)
    tempered = prediction.tempered(fit_temperature(prediction, labels))
    assert _nll(best, labels) < _nll(tempered, labels) < _nll(prediction, labels)


def test_absent_class_is_refused():
    prediction, labels = _data(1.0, np.zeros(3), n=50)
    with pytest.raises(ValueError, match=r"no row of classes \[1, 2\]"):
        fit_vector_scaling(prediction, np.zeros_like(labels))


@pytest.mark.parametrize("prediction", [
    _data(1.0, np.zeros(3), n=50)[0],
    ClassPrediction(tf.nn.log_softmax(20.0 * np.eye(3))[None])])
def test_all_right_keeps_the_scales_at_one(prediction, caplog):
    scale, shift = fit_vector_scaling(prediction, prediction.label)
    np.testing.assert_array_equal(scale, np.ones(3))
    np.testing.assert_array_equal(shift, np.zeros(3))
    assert "stay at 1" in caplog.text
