"""Epsilon-greedy: how often actions are taken at random."""

import numpy as np
import pytest

from bdlzoo.families.acting import Acting
from bdlzoo.methods import EpsilonGreedy
from tests.families import q_cases

SEEN = np.eye(9, dtype="float32").reshape(9, 3, 3)


def _agent(**options):
    return q_cases.agent(EpsilonGreedy, q_cases.network(
        0.0, kernel=q_cases.table()), num_worlds=400, **options)


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.0])
def test_random_actions_are_as_many_as_epsilon_says(epsilon):
    model = _agent(epsilon=epsilon)
    acting = Acting(q_cases.WORLD, 1, model.memory_for(q_cases.WORLD))
    running, wrong = acting.memory.running, []
    for _ in range(6):
        seen = running.observe()
        best = q_cases.table()[seen.reshape(400, -1).argmax(axis=1)].argmax(axis=1)
        actions = model.explore(seen, running, acting)
        wrong.append(actions != best)
        running.step(actions)
    np.testing.assert_allclose(np.mean(wrong), epsilon / 2.0, atol=0.03)
    if epsilon == 0.0:
        assert not np.any(wrong)


def test_epsilon_falls_to_its_last_value():
    model = _agent(epsilon=0.1, first_epsilon=0.9, anneal=100)
    found = [model.epsilon_at(steps) for steps in (0, 50, 100, 1000)]
    np.testing.assert_allclose(found, [0.9, 0.5, 0.1, 0.1])
    assert _agent(epsilon=0.1).epsilon_at(0) == 0.1


def test_probabilities_are_those_of_the_rule():
    choice = _agent(epsilon=0.2).act(SEEN, greedy=True)
    np.testing.assert_allclose(choice.probability, 0.9, rtol=1e-6)
    np.testing.assert_array_equal(choice.action, q_cases.table().argmax(axis=1))
    np.testing.assert_array_equal(choice.spread, 0.0)


@pytest.mark.parametrize("options, words", [
    ({"epsilon": 1.1}, "epsilon=1.1"), ({"first_epsilon": -1}, "first_epsilon=-1"),
    ({"anneal": -1}, "anneal=-1")])
def test_wrong_arguments_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        EpsilonGreedy(q_cases.network(), **options)
