"""Direct policy gradients, against the exact gradient of the risk objective."""

import keras
import numpy as np
import pytest
from absl import logging

from bdlzoo.families.acting import Acting
from bdlzoo.methods import DirectPolicyGradient
from bdlzoo.worlds import DeepSea, Rooms
from tests.methods import risk_cases


@keras.saving.register_keras_serializable(package="bdlzoo_tests")
def half_of_the_bound(state, discount):
    del discount
    half = np.full(len(state["seed"]), 0.1)
    return -half, half


@pytest.mark.parametrize("epsilon", [2.0, 0.5, -1.0])
def test_mean_estimate_is_the_gradient_of_the_risk_objective(epsilon):
    here = risk_cases.world()
    model = risk_cases.tabular(DirectPolicyGradient, epsilon=epsilon, budget=None,
                               num_episodes=120)
    risk_cases.check_mean(model, Acting(here, 1),
                          risk_cases.exact(model, here, epsilon))


def test_small_epsilon_is_the_policy_gradient():
    here = risk_cases.world()
    model = risk_cases.tabular(DirectPolicyGradient, epsilon=0.05, budget=None,
                               num_episodes=250)
    risk_cases.check_mean(model, Acting(here, 1), risk_cases.exact(model, here, 0))


def test_constant_that_is_added_to_returns_changes_nothing():
    class Richer(DeepSea):
        def move(self, state, actions):
            moved, rewards, terminal = super().move(state, actions)
            return moved, rewards + 7.0 * terminal, terminal

        def bounds(self, state, discount=1.0):
            return tuple(bound + 7.0 for bound in super().bounds(state, discount))

    batches = [risk_cases.tabular(DirectPolicyGradient, epsilon=1.0).collect(
        Acting(kind(3, 0.4, 2.0), 1), 0) for kind in (DeepSea, Richer)]
    for one, other in zip(*batches):
        np.testing.assert_allclose(one, other, atol=1e-6)
    assert batches[0][2].any()


def test_batch_has_steps_that_are_not_in_both_sequences():
    here = risk_cases.world()
    model = risk_cases.tabular(DirectPolicyGradient, epsilon=2.0, num_episodes=64)
    _, _, weights = model.collect(Acting(here, 1), 0)
    used = weights[weights != 0.0]
    np.testing.assert_allclose(np.abs(used), 1.0 / (2.0 * 64), rtol=1e-6)
    np.testing.assert_allclose(used.sum(), 0.0, atol=1e-6)
    assert len(weights) in (32, 64, 128, 256) and 0 < len(used) < 2 * 3 * 64


def test_returns_are_counted_without_discount():
    model = DirectPolicyGradient(keras.Sequential([
        keras.Input((3, 3, 4)), keras.layers.Flatten(), keras.layers.Dense(5)]),
        discount=0.9, num_episodes=32, budget=20, seed=1)
    model.compile("sgd")
    acting = Acting(Rooms(1, 2, view=3), 1)
    model.build_for(acting.world)
    model.collect(acting, 0)
    # A goal is worth 1: the mean is a number of 32nds.
    np.testing.assert_allclose(32 * acting.mean_return % 1.0, 0.0, atol=1e-6)
    assert 0 < acting.mean_return <= 1.0 and acting.episodes == 32


def test_bound_of_a_user_is_saved_and_warned_about_where_it_fails(tmp_path,
                                                                  monkeypatch):
    warned = []
    monkeypatch.setattr(logging, "warning", lambda *words: warned.append(words))
    model = risk_cases.tabular(DirectPolicyGradient, bound=half_of_the_bound)
    acting = Acting(risk_cases.world(), 1)
    model.collect(acting, 0)
    model.collect(acting, 1)
    assert len(warned) == 1 and "bounds that hold" in warned[0][0]
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert loaded.bound is half_of_the_bound and loaded.discount == 1.0


def test_rooms_are_learnt_in_few_episodes():
    keras.utils.set_random_seed(0)
    policy = keras.Sequential([keras.Input((5, 5, 4)), keras.layers.Flatten(),
                               keras.layers.Dense(32, "relu"), keras.layers.Dense(5)])
    model = DirectPolicyGradient(policy, epsilon=10.0, budget=100, seed=0)
    model.compile(keras.optimizers.Adam(0.01))
    here = Rooms(1, 3, view=5)
    first = model.evaluate(here, 100)
    history = model.fit(here, episodes=640, epochs=4, verbose=0).history
    assert model.evaluate(here, 100)["finished"] > max(0.95, first["finished"] + 0.2)
    assert history["return"][-1] > history["return"][0]
    assert history["world_steps"] == sorted(history["world_steps"])


@pytest.mark.parametrize("options, words", [
    ({"epsilon": 0.0}, "epsilon=0.0"), ({"bound": 3}, "bound=3"),
    ({"budget": 0}, "budget=0"), ({"discount": 1.5}, "discount=1.5"),
    ({"bound_weight": 0}, "bound_weight=0"), ({"num_episodes": 0}, "num_episodes=0"),
    ({"until": "soon"}, "until=.soon.")])
def test_wrong_arguments_are_refused(options, words):
    policy = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2)])
    with pytest.raises(ValueError, match=words):
        DirectPolicyGradient(policy, **options)
