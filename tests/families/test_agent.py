"""What all agents do: evaluate, act, and refuse other worlds."""

import keras
import numpy as np
import pytest

from bdlzoo.families.agent import Agent, entropy_of
from bdlzoo.methods import Reinforce
from bdlzoo.worlds import ContextualBandit, DeepSea, Rooms


def _agent(size=3, bias=(0.0, 0.0)):
    policy = keras.Sequential([keras.Input((size, size)), keras.layers.Flatten(),
                               keras.layers.Dense(2, kernel_initializer="zeros")])
    policy.layers[-1].bias.assign(np.log(np.exp(bias) / np.sum(np.exp(bias))))
    model = Reinforce(policy, num_episodes=8, seed=1)
    model.compile("sgd")
    return model


def test_evaluation_is_that_of_the_policy():
    model = _agent(bias=(0.0, np.log(3.0)))
    found = model.evaluate(DeepSea(3), episodes=2000)
    np.testing.assert_allclose(found["return"], 0.75**3 - 0.01, atol=0.04)
    np.testing.assert_allclose(found["return_std"], np.sqrt(0.42 * 0.58), atol=0.03)
    assert found["length"] == 3.0 and found["finished"] == 1.0
    greedy = model.evaluate(DeepSea(3, cost=0.1), episodes=3, greedy=True)
    np.testing.assert_allclose(greedy["return"], 0.8)
    assert greedy["return_std"] < 1e-12


def test_actions_have_their_probabilities():
    model = _agent(bias=(0.0, np.log(3.0)))
    seen = DeepSea(3).observe(DeepSea(3).start([0, 1]))
    taken = np.stack([model.act(seen, seed=seed).action for seed in range(400)])
    np.testing.assert_allclose(taken.mean(), 0.75, atol=0.08)
    np.testing.assert_array_equal(taken[:, 0], taken[:, 1])
    choice = model.act(seen, seed=0)
    np.testing.assert_allclose(choice.entropy, 0.5623, atol=1e-3)
    np.testing.assert_allclose(
        choice.probability, choice.probabilities[[0, 1], choice.action])
    assert (model.act(seen, greedy=True).action == 1).all()


def test_episodes_of_training_and_of_tests_differ():
    model = _agent()
    assert not np.intersect1d(model.train_seeds(0, 100),
                              model.episode_seeds(1, 0, 100)).size
    np.testing.assert_array_equal(model.train_seeds(5, 3), model.train_seeds(0, 8)[5:])


def test_world_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="shape \\(3, 3\\).*Received: \\(4, 4\\)"):
        model = _agent()
        model.build_for(DeepSea(3))
        model.build_for(DeepSea(4))
    policy = keras.Sequential([keras.Input((8,)), keras.layers.Dense(3)])
    with pytest.raises(ValueError, match="5 outputs"):
        Reinforce(policy).build_for(ContextualBandit())
    with pytest.raises(ValueError, match="episodes=0"):
        _agent().evaluate(Rooms(), episodes=0)
    with pytest.raises(ValueError, match="`act"):
        _agent().predict_uncertainty(np.zeros((1, 3, 3)))


def test_entropy_of_sure_choices_is_zero():
    np.testing.assert_allclose(entropy_of(np.array([[1.0, 0.0], [0.5, 0.5]])),
                               [0.0, np.log(2.0)])


def test_base_has_no_way_to_act():
    agent = Agent()
    for word, arguments in (("collect", (None, 0)), ("beliefs", (None, None)),
                            ("test_policy", (True,)), ("steps_for", (None, 1))):
        with pytest.raises(NotImplementedError):
            getattr(agent, word)(*arguments)
    assert agent.memory_for(None) is None
