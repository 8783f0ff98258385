"""Base class of worlds: functions from states to states, many rows at a time.

    state = start(seeds)                           a dictionary of arrays [B, ...]
    state, rewards, terminal, ended = step(state, actions)

A world keeps nothing between calls. All that is random in an episode is a function of
its seed, which is part of the state. So an old state can be gone on from at any time,
which is what a search over actions needs; rows of different episodes are one batch; and
a checkpoint holds the state as it is.
"""

import typing

import numpy as np

from bdlzoo.core.checks import check_count


class Step(typing.NamedTuple):
    """What a step of a world returns."""

    state: dict  # Arrays by name, `[B, ...]`.
    rewards: np.ndarray  # [B]
    terminal: np.ndarray  # Whether nothing can follow, which a value may build on.
    ended: np.ndarray  # Whether the episode is over: terminal, or out of time.


class World:
    """Base class of worlds with discrete actions.

    A subclass writes `begin`, `move` and `observe`; `bounds` where something is known
    about rewards to come, and `picture` to be seen.

    Args:
        num_actions: Integer, number of actions, which are counted from 0.
        observation_shape: Shape of what an agent sees of a state.
        horizon: Integer, steps after which an episode is over.
    """

    action_names = None  # Tuple of words for the actions.

    def __init__(self, num_actions, observation_shape, horizon):
        check_count("num_actions", num_actions)
        check_count("horizon", horizon)
        self.num_actions = num_actions
        self.observation_shape = tuple(observation_shape)
        self.horizon = horizon

    # What a world writes.

    def begin(self, seeds):
        """Arrays by name `[B, ...]` at the start of the episodes of seeds `[B]`."""
        raise NotImplementedError

    def move(self, state, actions):
        """The state after actions `[B]`, rewards `[B]` and terminal `[B]`."""
        raise NotImplementedError

    def observe(self, state):
        """What an agent sees of states: an array of floats `[B, *shape]`."""
        raise NotImplementedError

    def bounds(self, state, discount=1.0):
        """Bounds of the sum of discounted rewards to come, for the seeds of states.

        Args:
            state: Dictionary of arrays `[B, ...]`.
            discount: Float, factor of rewards for each step from here on.

        Returns:
            Two arrays `[B]`. By default nothing is known: they are infinite.
        """
        del discount
        unknown = np.full(len(state["seed"]), np.inf)
        return -unknown, unknown

    def picture(self, state):
        """A picture of the first row of a state: uint8 `[height, width, 3]`."""
        raise ValueError("Expected a world that can be drawn: give it a method "
                         f"`picture(state)`. Received: {type(self).__name__}")

    # What an agent calls.

    def start(self, seeds):
        """The state at the start of episodes.

        Args:
            seeds: Integers `[B]`; an episode is a function of its seed and actions.
        """
        seeds = np.asarray(seeds, "int64").reshape(-1)
        return {"seed": seeds, "time": np.zeros(len(seeds), "int64"),
                **self.begin(seeds)}

    def step(self, state, actions):
        """Takes an action in each row.

        Args:
            state: Dictionary of arrays `[B, ...]`, which is not changed.
            actions: Integers `[B]`.

        Returns:
            `Step`.
        """
        actions = np.asarray(actions)
        if actions.shape != state["seed"].shape or actions.dtype.kind not in "iu" or (
                len(actions) and not 0 <= actions.min() <= actions.max()
                < self.num_actions):
            raise ValueError(
                f"Expected an action from 0 to {self.num_actions - 1} for each of "
                f"{len(state['seed'])} rows. Received: actions={actions!r}")
        moved, rewards, terminal = self.move(state, actions)
        time = state["time"] + 1
        return Step({**state, **moved, "time": time}, np.asarray(rewards, "float64"),
                    terminal, terminal | (time >= self.horizon))

    def left(self, state):
        """Steps that are left until the episodes are over `[B]`."""
        return self.horizon - state["time"]


def rows(state, chosen):
    """Rows of a state: a dictionary of arrays.

    Args:
        state: Dictionary of arrays `[B, ...]`.
        chosen: Integers, bools or a slice.
    """
    return {name: array[chosen] for name, array in state.items()}


def joined(states):
    """States one below the other: a dictionary of arrays `[sum of B, ...]`."""
    return {name: np.concatenate([state[name] for state in states])
            for name in states[0]}

