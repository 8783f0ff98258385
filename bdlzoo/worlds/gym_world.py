"""Worlds of gymnasium: environments whose past states can be gone on from.

    state = seed and actions so far          what a checkpoint holds

The environments themselves are kept in memory beside it, the newest ones, as copies or
by the protocol below. Those that are no longer there are made again: reset by the seed,
and the actions taken once more. So an episode must be a function of its seed and of
the actions, as gymnasium asks for.

An environment may have `state()` and `restore(state)`, which is much faster than a
copy: the first returns something that later steps do not change, and the second goes
back to it.
"""

import collections
import copy
import importlib.util

import numpy as np

from bdlzoo.core import registry
from bdlzoo.worlds.world import World

_KEPT = 4096  # Environments, or states of one, in memory.


@registry.register
class GymWorld(World):
    """Acts in an environment of gymnasium with discrete actions.

    Args:
        environment: Environment, as `gymnasium.make` returns it, or its name.
        horizon: Integer, steps after which an episode is over; `None` takes the limit
            that the environment was registered with.
        features: Function from an observation to an array; `None` takes numbers as they
            are, makes discrete ones one-hot, joins the parts of a dictionary, and
            leaves texts out.
        bound: Function from the environment and the discount to a pair: bounds of the
            discounted rewards to come; `None` if nothing is known.
        reward: Function from the environment before a step, the one after it and the
            reward to another reward, such as one with a bonus; `None` changes nothing.

    Example:

        world = bdlzoo.worlds.GymWorld("CartPole-v1")
    """

    def __init__(self, environment, horizon=None, features=None, bound=None,
                 reward=None):
        if isinstance(environment, str):
            environment = made(environment)
        actions = environment.action_space
        # Several bits also have a number `n`, and a shape.
        if getattr(actions, "n", None) is None or getattr(actions, "shape", ()):
            raise ValueError(
                "Expected discrete actions: make some first, such as by a "
                "`gymnasium.ActionWrapper` that chooses among a few values. Received: "
                f"environment.action_space={actions}")
        self._layer = _restorable_layer(environment)
        if self._layer is None:
            _check_copy(environment)
        self.environment = environment
        self.features = features or _features(environment.observation_space)
        self.bound = bound
        self.reward = reward
        self._first = int(getattr(actions, "start", 0))
        self._kept = collections.OrderedDict()
        observation, _ = environment.reset(seed=0)
        super().__init__(int(actions.n), np.shape(self.features(observation)),
                         horizon or _limit(environment))
        if self._layer is not None:
            self._check_restore()

    # The functions of a world.

    def begin(self, seeds):
        for seed in seeds:
            self._reset(int(seed))
        return {"actions": np.full((len(seeds), self.horizon), -1, "int16")}

    def move(self, state, actions):
        after = state["actions"].copy()
        after[np.arange(len(actions)), state["time"]] = actions
        found = [self._moved(int(seed), past[:time], int(action)) for
                 seed, past, time, action in zip(
                     state["seed"], state["actions"], state["time"], actions)]
        rewards, terminal = (np.array(part) for part in zip(*found)) if found else (
            np.zeros(0), np.zeros(0, bool))
        return {"actions": after}, rewards, terminal

    def observe(self, state):
        return np.stack([self._row(state, row)[1] for row in range(len(state["seed"]))])

    def bounds(self, state, discount=1.0):
        if self.bound is None:
            return super().bounds(state, discount)
        found = [self.bound(self._at(state, row).unwrapped, discount)
                 for row in range(len(state["seed"]))]
        return tuple(np.array(part, "float64") for part in zip(*found))

    def picture(self, state):
        picture = self._at(state, 0).render()
        if not isinstance(picture, np.ndarray):
            raise ValueError(
                "Expected an environment that can be drawn: make it by "
                "`gymnasium.make(name, render_mode=\"rgb_array\")`. Received: a "
                f"picture of type {type(picture).__name__}")
        return picture

    # Environments of the past.

    def _at(self, state, row):
        """The environment in the state of a row, to look at."""
        return self._opened(self._row(state, row)[0])

    def _row(self, state, row):
        """What is kept of a row, and its observation."""
        time = state["time"][row]
        return self._found(int(state["seed"][row]), state["actions"][row][:time])

    def _found(self, seed, past):
        key = _key(seed, past)
        if key not in self._kept:
            self._reset(seed)
            for place, action in enumerate(past):
                self._moved(seed, past[:place], int(action))
        self._kept.move_to_end(key)
        return self._kept[key]

    def _reset(self, seed):
        environment = self.environment if self._layer is not None else (
            copy.deepcopy(self.environment))
        # Seeds of gymnasium are not negative, and may have to fit into 32 bits.
        observation, _ = environment.reset(seed=seed % 2**31)
        self._keep(_key(seed, ()), environment, observation)

    def _moved(self, seed, past, action):
        """Takes an action; keeps what is there afterwards."""
        snapshot, _ = self._found(seed, past)
        environment = self._opened(snapshot)
        before = environment
        if self._layer is None:
            environment = copy.deepcopy(environment)
        elif self.reward is not None:
            before = copy.deepcopy(environment)
        # The time is counted here: a wrapper may not know where the episode is.
        observation, reward, terminal, _, _ = environment.step(action + self._first)
        if self.reward is not None:
            reward = self.reward(before.unwrapped, environment.unwrapped, reward)
        _check_finite("rewards", reward, seed, past)
        self._keep(_key(seed, (*past, action)), environment, observation)
        return float(reward), bool(terminal)

    def _keep(self, key, environment, observation):
        snapshot = environment if self._layer is None else self._layer.state()
        seen = np.asarray(self.features(observation), "float32")
        _check_finite("observations", seen, *key)
        self._kept[key] = snapshot, seen
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)

    def _check_restore(self):
        """Raises where the same action after `restore` leads to something else."""
        before, found = self._layer.state(), []
        for _ in range(2):
            observation, reward, *_ = self.environment.step(self._first)
            found.append((np.asarray(self.features(observation)), float(reward)))
            self._layer.restore(before)
        (seen, reward), (again, other) = found
        if not np.array_equal(seen, again) or reward != other:
            raise ValueError(
                "Expected `restore(state)` to go back to all that `state()` returned, "
                "with the source of noise, and no wrapper around it that remembers "
                "anything: give that one `state()` and `restore(state)` too. Received: "
                f"{type(self._layer).__name__}, in which the same action led to "
                "something else")

    def _opened(self, snapshot):
        """The environment in a kept state."""
        if self._layer is None:
            return snapshot
        self._layer.restore(snapshot)
        return self.environment


def made(name):
    """The environment of a name, of gymnasium or of MiniGrid."""
    for package in ("gymnasium", "minigrid")[:1 + name.startswith("MiniGrid")]:
        if importlib.util.find_spec(package) is None:
            raise ValueError("Expected an installed package for the environment: "
                             f"install `bdlzoo[decisions]`. Received: {name}, and no "
                             f"package {package}")
        importlib.import_module(package)  # MiniGrid adds its names.
    import gymnasium
    return gymnasium.make(name, render_mode="rgb_array")


def as_world(environment):
    """A world as it is, or that of an environment of gymnasium.

    Args:
        environment: `World`, or what has `reset`, `step` and `action_space`.

    Example:

        world = bdlzoo.worlds.as_world(bdlzoo.worlds.DeepSea(10))
    """
    if isinstance(environment, World):
        return environment
    if all(hasattr(environment, name) for name in ("reset", "step", "action_space")):
        return GymWorld(environment)
    raise ValueError(
        "Expected a world of `bdlzoo.worlds`, or an environment of gymnasium, to act "
        f"in. Received: environment of type {type(environment).__name__}")


def _check_finite(what, numbers, seed, past):
    """Raises where an environment gives NaN or infinity, which networks may hide."""
    if not np.isfinite(numbers).all():
        steps = len(past) // 2 if isinstance(past, bytes) else len(past) + 1
        raise ValueError(
            f"Expected finite {what} of the environment: mend it, or give `features=` "
            f"or `reward=`. Received: {numbers} after {steps} steps of the episode "
            f"with seed={seed}")


def _key(seed, past):
    return seed, np.asarray(past, "int16").tobytes()


def _layer_of(environment):
    """An environment and those that it wraps, from the outside."""
    while environment is not None:
        yield environment
        environment = vars(environment).get("env")


def _restorable_layer(environment):
    """The outermost layer that has `state` and `restore`; `None` without one."""
    for layer in _layer_of(environment):
        if callable(getattr(layer, "state", None)) and callable(
                getattr(layer, "restore", None)):
            return layer
    return None


def _check_copy(environment):
    """Raises where an environment can neither be restored nor copied."""
    try:
        copy.deepcopy(environment)
    except Exception as error:
        raise ValueError(
            "Expected an environment that can go back to an earlier state: give it "
            "methods `state()` and `restore(state)`, or one that `copy.deepcopy` can "
            f"copy. Received: {type(environment.unwrapped).__name__}, which cannot be "
            f"copied: {error}") from error


def _limit(environment):
    """Steps of an episode."""
    spec = getattr(environment, "spec", None)
    found = getattr(spec, "max_episode_steps", None) or getattr(
        environment.unwrapped, "max_steps", None)
    if found is None:
        raise ValueError("Expected an environment with a largest number of steps: give "
                         "`horizon=`. Received: horizon=None")
    return int(found)


def _features(space):
    """Function from an observation of a space to an array."""
    parts = getattr(space, "spaces", None)
    if isinstance(parts, dict) or hasattr(parts, "items"):
        known = {name: _features(part) for name, part in parts.items()
                 if _has_numbers(part)}
        return lambda observation: np.concatenate([
            np.ravel(read(observation[name])) for name, read in known.items()])
    if hasattr(space, "n") and not getattr(space, "shape", ()):
        return lambda observation: np.eye(int(space.n), dtype="float32")[
            int(observation) - int(space.start)]
    if parts is not None or not _has_numbers(space):
        raise ValueError(
            "Expected observations that are arrays, discrete, or dictionaries of them: "
            "give `features=`, a function from an observation to an array. Received: "
            f"observation_space={space}")
    return lambda observation: np.asarray(observation, "float32")


def _has_numbers(space):
    """Whether a space is none of texts, which have no shape."""
    return getattr(space, "shape", None) is not None or hasattr(space, "spaces")
