"""Environments of gymnasium as worlds: copies, the protocol, and past states."""

import threading

import numpy as np
import pytest

from bdlzoo.worlds import GymWorld
from bdlzoo.worlds import gym_world as module
from tests.worlds import cases


class _Actions:
    def __init__(self, n=None, start=0):
        self.n, self.start, self.shape = n, start, ()


class _Numbers:
    shape = (2,)


class Walk:
    """A random walk in the words of gymnasium, without the package."""

    def __init__(self, limit=6):
        self.action_space, self.observation_space = _Actions(3, start=5), _Numbers()
        self.max_steps, self.resets = limit, 0

    @property
    def unwrapped(self):
        return self

    def reset(self, seed=None):
        self.place, self.seed, self.resets = 0.0, seed, self.resets + 1
        return self._seen(), {}

    def step(self, action):
        assert 5 <= action <= 7
        self.place += (action - 6) * (1 + self.seed % 3)
        return self._seen(), self.place, abs(self.place) > 4, False, {}

    def render(self):
        return np.full((4, 4, 3), int(abs(self.place)), "uint8")

    def _seen(self):
        return np.array([self.place, self.seed], "float32")


class Restorable(Walk):
    """The same with the protocol, and with something that cannot be copied."""

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()

    def state(self):
        return self.place, self.seed

    def restore(self, state):
        self.place, self.seed = state


@pytest.mark.parametrize("kind", [Walk, Restorable])
def test_world_is_restorable(kind):
    cases.check_restorable(GymWorld(kind()))
    cases.check_side_by_side(GymWorld(kind()))


class Broken(Walk):
    """Gives a wrong number in the third step."""

    def __init__(self, place, value):
        super().__init__()
        self.wrong, self.value, self.time = place, value, 0

    def reset(self, seed=None):
        self.time = 0
        return super().reset(seed)

    def step(self, action):
        seen, reward, *rest = super().step(action)
        self.time += 1
        if self.time == 3:
            seen, reward = (seen * self.value, reward) if self.wrong == "seen" else (
                seen, self.value)
        return seen, reward, *rest


@pytest.mark.parametrize("place, words", [("seen", "observations"),
                                          ("reward", "rewards")])
@pytest.mark.parametrize("value", [np.nan, -np.inf])
def test_numbers_that_are_none_end_the_episode(place, words, value):
    world = GymWorld(Broken(place, value))
    state = world.start([8])
    for _ in range(2):
        state = world.step(state, np.array([1])).state
    with pytest.raises(ValueError, match=f"finite {words}.*after 3 steps.*seed="):
        world.step(state, np.array([2]))


@pytest.mark.parametrize("kind", [Walk, Restorable])
def test_what_is_no_longer_in_memory_is_played_again(kind, monkeypatch):
    monkeypatch.setattr(module, "_KEPT", 2)
    cases.check_restorable(GymWorld(kind()))
    state = GymWorld(kind()).start([4])
    state = {**state, "time": np.array([2])}
    state["actions"][0, :2] = 2, 2
    fresh = GymWorld(kind())  # As after a restart.
    np.testing.assert_array_equal(fresh.observe(state), [[4.0, 4.0]])
    assert fresh.picture(state).max() == 4


def test_protocol_needs_no_copy():
    world = GymWorld(Restorable())
    state = world.start([1])
    for _ in range(3):
        state = world.step(state, np.array([1])).state
    assert world.environment.resets == 2  # One of them looks at the observation.


def test_protocol_that_does_not_go_back_is_refused():
    class Forgetful(Restorable):
        def restore(self, state):
            self.seed = state[1]

    class Stacked:
        """Remembers the last place, outside of the protocol."""

        def __init__(self, env):
            self.env, self.unwrapped = env, env
            self.action_space, self.observation_space = env.action_space, _Numbers()

        def reset(self, seed=None):
            self.last, info = self.env.reset(seed)
            return self.last, info

        def step(self, action):
            seen, *rest = self.env.step(action)
            self.last = self.last + seen
            return self.last, *rest

    for environment in (Forgetful(), Stacked(Restorable())):
        with pytest.raises(ValueError, match="same action led to something else"):
            GymWorld(environment)


def test_rewards_and_bounds_of_a_user_are_taken():
    world = GymWorld(Walk(), bound=lambda walk, discount: (-1.0, 10 - walk.place),
                     reward=lambda before, after, reward: after.place - before.place)
    step = world.step(world.start([2, 3]), np.array([2, 0]))
    np.testing.assert_array_equal(step.rewards, [3.0, -1.0])
    np.testing.assert_array_equal(world.bounds(step.state)[1], [7.0, 11.0])
    assert np.isinf(GymWorld(Walk()).bounds(step.state)[1]).all()
    assert GymWorld(Walk(), horizon=3).horizon == 3


def test_environment_that_does_not_fit_is_refused():
    stuck = Walk()
    stuck.lock = threading.Lock()
    with pytest.raises(ValueError, match="`state\\(\\)` and `restore\\(state\\)`"):
        GymWorld(stuck)
    bits = _Actions(3)
    bits.shape = (3,)
    for actions in (_Numbers(), bits):
        continuous = Walk()
        continuous.action_space = actions
        with pytest.raises(ValueError, match="discrete actions"):
            GymWorld(continuous)
    endless = Walk()
    endless.max_steps = None
    with pytest.raises(ValueError, match="horizon=None"):
        GymWorld(endless)
    strange = Walk()
    strange.observation_space = object()
    with pytest.raises(ValueError, match="features="):
        GymWorld(strange)
    blind = Walk()
    blind.render = lambda: None
    with pytest.raises(ValueError, match="rgb_array"):
        GymWorld(blind).picture(GymWorld(blind).start([0]))


def test_observations_of_all_kinds_become_arrays():
    class Parts:
        spaces = {"place": _Numbers(), "side": _Actions(3), "words": type(
            "Text", (), {"shape": None})()}

    read = module._features(Parts())
    np.testing.assert_array_equal(
        read({"place": np.array([1.0, 2.0]), "side": 1, "words": "go"}),
        [1.0, 2.0, 0.0, 1.0, 0.0])


@pytest.mark.slow
def test_environments_of_gymnasium_and_minigrid():
    gymnasium = pytest.importorskip("gymnasium")
    cases.check_restorable(GymWorld(gymnasium.make("CartPole-v1")), steps=8)
    cases.check_restorable(GymWorld(gymnasium.make("FrozenLake-v1")), steps=8)
    pytest.importorskip("minigrid")
    world = GymWorld(gymnasium.make("MiniGrid-MultiRoom-N2-S4-v0"))
    cases.check_restorable(world, steps=8)
    assert world.observation_shape == (151,) and world.num_actions == 7
