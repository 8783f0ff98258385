"""Policies: the loss, batches of few sizes, and terms of layers."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.families.policy_model import PolicyModel, padded
from bdlzoo.methods import Reinforce
from tests.methods import risk_cases


def test_loss_is_the_weighted_log_probability():
    model = risk_cases.tabular(Reinforce)
    x = np.eye(9, dtype="float32").reshape(9, 3, 3)[:3]
    weights = np.array([0.5, -2.0, 0.0], "float32")
    logs, _ = model.objective(x, np.array([0, 1, 1]), weights, noise.key(0, 0))
    table = model.log_policy(x)
    np.testing.assert_allclose(
        logs["loss"], -0.5 * table[0, 0] + 2.0 * table[1, 1], rtol=1e-5)
    entropy = -(np.exp(table) * table).sum(axis=1)
    np.testing.assert_allclose(logs["entropy"], entropy[:2].mean(), rtol=1e-5)


def test_terms_of_layers_count():
    policy = keras.Sequential([keras.Input((2,)), keras.layers.Dense(
        2, kernel_regularizer="l2", kernel_initializer="ones")])
    model = Reinforce(policy)
    model.build((None, 2))
    logs, _ = model.objective(np.zeros((1, 2), "float32"), np.zeros(1, int),
                              np.zeros(1, "float32"), noise.key(0, 0))
    np.testing.assert_allclose(logs["loss"], 0.04, rtol=1e-5)


def test_batches_have_few_sizes_and_added_rows_weigh_nothing():
    for count, size in ((0, 32), (32, 32), (33, 64), (100, 128)):
        x, y, weights = padded(np.ones((count, 2)), np.ones(count), np.ones(count),
                               (2,))
        assert x.shape == (size, 2) and len(y) == size
        assert weights.sum() == count == y.sum()


def test_base_weighs_nothing():
    with pytest.raises(NotImplementedError):
        PolicyModel(keras.Sequential([keras.Input((2,)),
                                      keras.layers.Dense(2)])).weigh([1.0])
    with pytest.raises(ValueError, match="Keras 3 model"):
        PolicyModel("policy")
