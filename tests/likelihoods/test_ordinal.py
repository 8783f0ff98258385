"""Ordinal likelihood."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.likelihoods import Bernoulli, Ordinal
from bdlzoo.methods import Deterministic
from bdlzoo.networks import MLP

OUTPUTS = np.random.default_rng(0).normal(size=(3, 4, 1)).astype("float32")


def _built(num_classes, cuts=None):
    likelihood = Ordinal(num_classes)
    likelihood.build((None, 1))
    if cuts is not None:
        likelihood.first_cut.assign(cuts[:1])
        likelihood.log_gaps.assign(np.log(np.diff(cuts)))
    return likelihood


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_probabilities_are_differences_of_cumulative_ones():
    cuts = np.array([-1.0, 0.2, 1.5])
    likelihood = _built(4, cuts)
    below = _sigmoid(cuts - OUTPUTS)  # [S, B, K - 1]
    expected = np.diff(below, prepend=0.0, append=1.0)
    probabilities = np.exp(likelihood.log_probs(OUTPUTS))
    np.testing.assert_allclose(probabilities, expected, rtol=1e-4)
    targets = np.array([3, 0, 1, 2])
    np.testing.assert_allclose(likelihood.log_prob(targets, OUTPUTS),
                               np.log(expected[:, np.arange(4), targets]), rtol=1e-4)
    np.testing.assert_allclose(likelihood.prediction(OUTPUTS).mean,
                               expected.mean(0), rtol=1e-4)


def test_two_classes_are_bernoulli():
    targets = np.array([[1], [0], [1], [0]])
    np.testing.assert_allclose(_built(2).log_prob(targets, OUTPUTS),
                               Bernoulli().log_prob(targets, OUTPUTS), rtol=1e-5)


def test_classes_start_equally_probable():
    probabilities = np.exp(_built(5).log_probs(np.zeros((1, 1, 1), "float32")))
    np.testing.assert_allclose(probabilities, 0.2, rtol=1e-5)


def test_a_position_is_a_data_point():
    outputs, targets = np.zeros((2, 3, 5, 1), "float32"), np.ones((3, 5), "int32")
    assert _built(4).log_prob(targets, outputs).shape == (2, 3, 5)
    assert _built(4).prediction(outputs).label.shape == (3, 5)


def test_gradients_are_finite_far_away():
    likelihood = _built(4)
    outputs = tf.constant([[[1e4], [-1e4], [90.0]]])
    with tf.GradientTape() as tape:
        tape.watch(outputs)
        loss = tf.reduce_sum(likelihood.log_prob([0, 3, 1], outputs))
    gradients = tape.gradient(loss, [outputs, *likelihood.trainable_variables])
    assert np.isfinite(loss) and all(np.isfinite(g).all() for g in gradients)


@pytest.mark.slow
def test_learnt_cuts_are_those_of_the_data():
    rng, cuts = np.random.default_rng(0), np.array([-1.0, 0.5, 2.0])
    x = rng.normal(size=(8000, 1)).astype("float32")
    y = np.digitize(1.5 * x[:, 0] + rng.logistic(size=8000), cuts)
    likelihood = Ordinal(4)
    network = MLP((1,), (), 1)
    model = Deterministic(network, likelihood, seed=0)
    model.compile(keras.optimizers.Adam(0.05))
    model.fit(x, y, batch_size=8000, epochs=300, verbose=0)
    shift = float(network(np.zeros((1, 1), "float32"))[0, 0])
    np.testing.assert_allclose(likelihood.cuts() - shift, cuts, atol=0.12)


def test_wrong_outputs_and_labels_are_refused():
    with pytest.raises(ValueError, match="one output"):
        Ordinal(3).build((None, 3))
    with pytest.raises(ValueError, match="num_classes=1"):
        Ordinal(1)
    with pytest.raises(ValueError, match=r"\[3\]"):
        _built(3).check_targets(np.array([0, 3]), (None, 1))
    with pytest.raises(ValueError, match=r"shape \[B, 1\]"):
        _built(3).check_targets(np.eye(3), (None, 1))
