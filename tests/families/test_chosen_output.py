"""The likelihood of the action that was taken."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from scipy import stats

from bdlzoo.families.chosen_output import ChosenOutput
from bdlzoo.methods import Deterministic

TARGETS = np.array([[0.0, 1.0], [2.0, -1.0]], "float32")
DRAWS = np.arange(12.0, dtype="float32").reshape(2, 2, 3) / 5.0  # [S, B, A]


def test_only_the_chosen_output_counts():
    likelihood = ChosenOutput(0.5)
    found = likelihood.log_prob(tf.constant(TARGETS), tf.constant(DRAWS))
    expected = stats.norm(DRAWS[:, [0, 1], [0, 2]], 0.5).logpdf(TARGETS[:, 1])
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    alone = likelihood.log_prob(tf.constant(TARGETS), tf.constant(DRAWS[0]))
    np.testing.assert_allclose(alone, expected[0], rtol=1e-5)


def test_other_outputs_do_not_move():
    network = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3)])
    model = Deterministic(network, ChosenOutput(), seed=0)
    model.compile(keras.optimizers.SGD(0.1))
    before = network.get_weights()[0]
    model.fit(np.eye(3, dtype="float32")[:2], np.array([[1, 5.0], [1, 2.0]]), verbose=0)
    moved = network.get_weights()[0] != before
    assert moved[:2, 1].all() and not moved[:, [0, 2]].any()


def test_prediction_has_all_values_and_config_is_kept():
    likelihood = ChosenOutput.from_config(ChosenOutput(0.5).get_config())
    prediction = likelihood.prediction(tf.constant(DRAWS))
    np.testing.assert_allclose(prediction.mean, DRAWS.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(prediction.aleatoric, 0.25, rtol=1e-6)
    assert likelihood.quick_check(tf.constant(TARGETS), (None, 3))
    likelihood.check_targets(TARGETS, (None, 3))
    with pytest.raises(ValueError, match="finite"):
        likelihood.check_targets(TARGETS * np.nan, (None, 3))
    with pytest.raises(ValueError, match="noise_scale=0"):
        ChosenOutput(0.0)
