"""The score function: no bias, and less variance by a baseline."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.estimators import ScoreFunction
from tests.estimators import toy

COUNT = 60_000
MEAN = float(-toy.softmax(toy.POTENTIALS) @ toy.THETA)  # Of the loss.


@pytest.mark.parametrize("baseline, variance, num_samples", [
    (0.0, 1.83, 1), (MEAN, 1.44, 1), ("rows", 1.44, 1), ("draws", None, 4)])
def test_mean_is_the_gradient_and_variance_the_known_one(
        baseline, variance, num_samples):
    found = toy.gradients(ScoreFunction(baseline), COUNT, num_samples=num_samples)
    error = 4 * np.sqrt(np.var(found, axis=0).max() / COUNT)
    assert toy.bias(found) < error
    if variance:
        np.testing.assert_allclose(toy.total_variance(found), variance, rtol=0.04)


@pytest.mark.parametrize("baseline, expected", [
    ("draws", [[4.0, 0.0], [3.5, 0.0], [1.5, 0.0]]),
    ("rows", [[0.0, 1.0], [0.0, 2.0], [0.0, 6.0]]), (2.5, 2.5)])
def test_baseline_is_the_mean_of_the_others(baseline, expected):
    losses = tf.constant([[1.0, 0.0], [2.0, 0.0], [6.0, 0.0]])  # [S, B]
    np.testing.assert_allclose(ScoreFunction(baseline)._baseline(losses), expected)


def test_a_row_alone_has_no_baseline():
    np.testing.assert_allclose(toy.gradients(ScoreFunction("rows"), 1),
                               toy.gradients(ScoreFunction(0.0), 1))


def test_impossible_baselines_are_refused():
    with pytest.raises(ValueError, match="Received: baseline='mean'"):
        ScoreFunction("mean")
    with pytest.raises(ValueError, match="two draws.*num_samples=1"):
        toy.gradients(ScoreFunction("draws"), 5)
