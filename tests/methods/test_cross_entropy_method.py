"""The cross-entropy method: which episodes are imitated, and how."""

import keras
import numpy as np
import pytest

from bdlzoo.families.acting import Acting
from bdlzoo.methods import CrossEntropyMethod
from tests.methods import risk_cases


def test_best_episodes_weigh_the_same_and_others_nothing():
    model = risk_cases.tabular(CrossEntropyMethod, elite=0.4)
    np.testing.assert_allclose(model.weigh(np.array([3.0, 9.0, 1.0, 5.0, 4.0])),
                               [0.0, 0.5, 0.0, 0.5, 0.0])
    one = risk_cases.tabular(CrossEntropyMethod, elite=0.01)
    np.testing.assert_array_equal(one.weigh(np.array([3.0, 9.0])), [0.0, 1.0])


def test_loss_is_the_cross_entropy_to_the_best_plan():
    """With all plans drawn, the elite is the one that finds the treasure."""
    here = risk_cases.world()
    model = risk_cases.tabular(CrossEntropyMethod, elite=0.01, num_episodes=200)
    x, y, weights = model.collect(Acting(here, 1), 0)
    used = weights > 0
    np.testing.assert_array_equal(y[used].reshape(-1, 3), 1)
    np.testing.assert_allclose(weights[used].reshape(-1, 3).sum(axis=0), 1.0)
    logs, _ = model.objective(x, y, weights, model.step_keys()[0])
    seen = np.eye(3)[:, :, None] * np.eye(3)[:, None]
    expected = -model.log_policy(seen)[:, 1].sum()
    np.testing.assert_allclose(logs["loss"], expected, rtol=1e-5)


def test_wrong_share_is_refused():
    policy = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2)])
    for elite in (0.0, 1.5):
        with pytest.raises(ValueError, match=f"elite={elite}"):
            CrossEntropyMethod(policy, elite=elite)
