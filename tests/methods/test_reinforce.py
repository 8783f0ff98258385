"""REINFORCE, against the exact policy gradient."""

import numpy as np

from bdlzoo.families.acting import Acting
from bdlzoo.methods import Reinforce
from tests.methods import risk_cases


def test_mean_estimate_is_the_policy_gradient():
    here = risk_cases.world()
    for count in (2, 100):
        model = risk_cases.tabular(Reinforce, num_episodes=count)
        risk_cases.check_mean(model, Acting(here, 1), risk_cases.exact(model, here, 0),
                              batches=400 if count == 2 else 60)


def test_baseline_is_the_mean_of_the_others():
    model = risk_cases.tabular(Reinforce)
    weights = model.weigh(np.array([1.0, 2.0, 6.0]))
    np.testing.assert_allclose(weights, np.array([-3.0, -1.5, 4.5]) / 3)
    np.testing.assert_array_equal(model.weigh(np.array([4.0])), [4.0])


def test_constant_that_is_added_to_returns_changes_nothing():
    model, returns = risk_cases.tabular(Reinforce), np.array([1.0, 2.0, 6.0])
    np.testing.assert_allclose(model.weigh(returns + 9.0), model.weigh(returns))
