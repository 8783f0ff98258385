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
    (np.array([0.5, 1.0]), "0.5"), (np.eye(4)[:3], "last axis"),
    (2 * np.eye(5)[:3], "sum is 1"), (np.eye(5)[:3] - 0.1, "sum is 1")])
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


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32", "float16"])
def test_one_hot_rows_equal_indices_of_any_type(dtype):
    targets = np.array([1, 0, 1, 1]).astype(dtype)
    expected = Categorical().log_prob(np.array([1, 0, 1, 1]), LOGITS)
    one_hot = np.eye(5)[[1, 0, 1, 1]].astype(dtype)
    for form in (targets, targets[:, None], one_hot):
        Categorical().check_targets(form, (None, 5))
        np.testing.assert_allclose(Categorical().log_prob(form, LOGITS), expected,
                                   atol=1e-6)


def test_soft_labels_give_the_expected_log_probability():
    shares = np.random.default_rng(1).dirichlet(np.ones(5), 4)
    log_probs = tf.nn.log_softmax(LOGITS).numpy()
    np.testing.assert_allclose(Categorical().log_prob(shares, LOGITS),
                               (log_probs * shares).sum(-1), atol=1e-6)
    np.testing.assert_allclose(
        Categorical().prediction(LOGITS).log_prob(shares),
        (np.log(np.exp(log_probs).mean(0)) * shares).sum(-1), atol=1e-6)


@pytest.mark.parametrize("form", ["index", "column", "one_hot"])
def test_positions_are_rows(form):
    rng = np.random.default_rng(2)
    outputs = rng.normal(size=(3, 4, 2, 6, 5)).astype("float32")
    targets = rng.integers(0, 5, (4, 2, 6))
    flat = Categorical().log_prob(targets.ravel(), outputs.reshape(3, 48, 5))
    targets = {"index": targets, "column": targets[..., None],
               "one_hot": np.eye(5)[targets]}[form]
    Categorical().check_targets(targets, (None, None, 6, 5))
    found = Categorical().log_prob(targets, outputs)
    np.testing.assert_allclose(found, tf.reshape(flat, (3, 4, 2, 6)), atol=1e-6)


def test_ignored_label_does_not_count_and_has_no_gradient():
    likelihood, outputs = Categorical(ignore_class=255), tf.constant(LOGITS)
    targets = np.array([4, 255, 2, 255], "uint8")
    likelihood.check_targets(targets, (None, 5))
    np.testing.assert_array_equal(likelihood.counts(targets, outputs),
                                  [True, False, True, False])
    with tf.GradientTape() as tape:
        tape.watch(outputs)
        log_probs = likelihood.log_prob(targets, outputs)
    slopes = tape.gradient(log_probs, outputs).numpy()
    np.testing.assert_allclose(
        log_probs.numpy()[:, [0, 2]],
        Categorical().log_prob(targets[[0, 2]], LOGITS[:, [0, 2]]), atol=1e-6)
    assert not slopes[:, [1, 3]].any() and slopes[:, [0, 2]].all()
    with pytest.raises(ValueError, match="ignore_class"):
        Categorical().check_targets(targets, (None, 5))
    one_hot = np.eye(5)[[0, 1, 2, 2]]
    np.testing.assert_array_equal(Categorical(ignore_class=2).counts(
        one_hot, outputs), [True, True, False, False])
    assert Categorical().counts(targets, outputs) is None
    assert Categorical.from_config(likelihood.get_config()).ignore_class == 255


@pytest.mark.parametrize("shape, words", [
    ((8,), "1 axes of positions"), ((8, 7, 3, 2), "1 axes of positions"),
    ((8, 6), "axis 1 of the outputs has 7 positions.*with 6 on axis 1"),
    ((8, 7, 2), "with 2 on the last axis")])
def test_targets_of_another_rank_are_refused_by_their_axis(shape, words):
    with pytest.raises(ValueError, match=words):
        Categorical().check_targets(np.zeros(shape, int), (None, 7, 3))
