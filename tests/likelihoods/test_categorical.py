"""Categorical likelihood."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.likelihoods import Categorical

LOGITS = np.random.default_rng(0).normal(size=(3, 4, 5)).astype("float32")


def test_log_prob_picks_the_log_softmax_of_the_target():
    targets = np.array([[4], [0], [2], [2]])
    expected = tf.nn.log_softmax(LOGITS).numpy()[:, np.arange(4), targets[:, 0]]
    np.testing.assert_allclose(Categorical().log_prob(targets, LOGITS), expected,
                               atol=1e-6)


def test_mean_is_that_of_probabilities_and_not_of_logits():
    mean = Categorical().prediction(LOGITS).mean
    np.testing.assert_allclose(mean, tf.nn.softmax(LOGITS).numpy().mean(0), atol=1e-6)
    assert not np.allclose(mean, tf.nn.softmax(LOGITS.mean(0)), atol=1e-3)


@pytest.mark.parametrize("targets, words", [
    (np.array([0, 5]), "from 0 to 4.*\\[5\\]"), (np.array([-1, 0]), "\\[-1\\]"),
    (np.array([0.5, 1.0]), "0.5"), (np.eye(5)[:3], "argmax")])
def test_targets_that_are_no_classes_are_refused(targets, words):
    with pytest.raises(ValueError, match=words):
        Categorical().check_targets(targets, (None, 5))


def test_probabilities_are_read_where_logits_are_not():
    probabilities = tf.nn.softmax(LOGITS)
    likelihood = Categorical(from_logits=False)
    targets = np.array([4, 0, 2, 2])
    np.testing.assert_allclose(
        likelihood.log_prob(targets, probabilities),
        Categorical().log_prob(targets, LOGITS), atol=1e-4)
    np.testing.assert_allclose(likelihood.prediction(probabilities).mean,
                               Categorical().prediction(LOGITS).mean, atol=1e-5)
    assert not Categorical.from_config(likelihood.get_config()).from_logits
