"""Risk in Deep Sea: plans, their returns, and the gradient of the objective."""

import numpy as np
import pytest

from bdlzoo.worlds import DeepSea
from tools.reproduce import deep_sea_risk as experiment


def _world():
    return DeepSea(4, cost=1 / 3, treasure=1.0, spread=10.0)


def test_returns_of_plans_are_those_of_the_world():
    actions, _ = experiment.plans()
    found = experiment.returns(_world(), np.array([5, 6]))
    for seed, values in zip((5, 6), found):
        state, total = _world().start(np.full(16, seed)), 0.0
        for chosen in actions.T:
            step = _world().step(state, chosen)
            state, total = step.state, total + step.rewards
        np.testing.assert_allclose(values, total)
    many = experiment.returns(_world(), np.arange(20000))
    assert abs(many[:, -1].mean()) < 0.3 and (many[:, 0] == 0.0).all()


@pytest.mark.parametrize("epsilon", [0.7, -0.3])
def test_gradient_is_that_of_the_objective(epsilon):
    logits = np.random.default_rng(0).normal(size=(16, 2))
    values = experiment.returns(_world(), np.arange(7)) / 5.0

    def objective(at):
        return np.mean(np.log(np.exp(epsilon * values) @ experiment.probabilities(
            at))) / epsilon

    found = experiment.risk_gradient(logits, values, epsilon)
    for place in ((0, 1), (5, 1), (4, 0), (10, 1), (15, 0)):
        step = np.zeros_like(logits)
        step[place] = 1e-5
        np.testing.assert_allclose(
            found[place], (objective(logits + step) - objective(logits - step)) / 2e-5,
            atol=1e-7)


def test_sign_of_epsilon_decides_the_plan():
    safe = experiment.run(epsilon=-1.0, steps=1500)
    assert safe["safe"] > 0.9 and safe["return_std"] < 4.0
    mixed = experiment.run(epsilon=1.0, steps=1500)
    assert 0.35 < mixed["gamble"] < 0.6 and mixed["return_std"] > 4.0


def test_search_takes_a_few_steps_too():
    found = experiment.run(epsilon=-1.0, by="search", steps=3)
    assert 0.0 < found["safe"] < 1.0
    with pytest.raises(ValueError, match="by='luck'"):
        experiment.run(by="luck")


def test_curve_is_read_from_the_table():
    rows = [{"label": f"epsilon {e}", "scores": [{"gamble": e, "safe": 1 - e}]}
            for e in (0.5, -1.0)]
    found = experiment.curve(rows)
    assert found["epsilons"] == [-1.0, 0.5]
    assert found["shares"]["safe plan"] == [[2.0], [0.5]]
