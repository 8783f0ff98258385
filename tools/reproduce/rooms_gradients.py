"""Rooms and doors: direct policy gradients beside REINFORCE and cross-entropy.

All agents have the same policy network, world, discount and optimiser, and may take as
many steps of the world; those of the search count. After every share of them the policy
plays episodes that are none of training.

Reference: Lorberbom et al., Direct Policy Gradients, NeurIPS 2020, whose figures are
curves on the `MultiRoom` environments of MiniGrid.
"""

import time

import keras
import numpy as np

from bdlzoo.methods import CrossEntropyMethod, DirectPolicyGradient, Reinforce
from bdlzoo.networks import MLP
from bdlzoo.worlds import GymWorld, Rooms
from tools.reproduce.looks import Looks, numbered
from tools.reproduce.table import Row, Table

AGENTS = ("direct", "reinforce", "cross_entropy")
_LOOKS = 20  # At the policy, in a training.
_LINES = (("direct policy gradient", "direct"), ("REINFORCE", "reinforce"),
          ("cross-entropy method", "cross_entropy"))

TABLES = (
    Table(
        name="rooms_gradients",
        title="Two rooms with a door: share of episodes that reach the goal",
        subject="Decisions",
        metrics=("finished", "steps_to_goal", "nodes_per_second"),
        rows=tuple(Row(label, "rooms_gradients", changes=dict(agent=agent))
                   for label, agent in _LINES),
        note="300,000 steps of the world for each agent, those of the search among "
             "them. Steps to the goal are those until 90 % of 100 test episodes reach "
             "it; where that was never so, all steps are counted. Nodes are steps of "
             "the world in training, with the policy, the search and the training "
             "steps in the time.",
        num_seeds=5,
        headline=(("direct policy gradient", "finished"), ("REINFORCE", "finished")),
        figures=("rooms_gradients.png",)),
    Table(
        name="minigrid_rooms",
        title="MiniGrid MultiRoom-N2-S4: share of episodes that reach the goal",
        subject="Decisions",
        metrics=("finished", "steps_to_goal", "nodes_per_second"),
        rows=tuple(Row(label, "rooms_gradients", changes=dict(
            agent=agent, minigrid=True, steps=20_000)) for label, agent in _LINES[:2]),
        note="20,000 steps of the environment, which is copied for each of them. "
             "Needs `bdlzoo[decisions]`.",
        num_seeds=1))


def run(seed=0, agent="direct", steps=300_000, num_episodes=16, test_episodes=100,
        minigrid=False, epsilon=10.0, budget=300, units=64):
    """Trains an agent, and looks at it twenty times.

    Args:
        seed: Integer.
        agent: One of `AGENTS`.
        steps: Integer, steps of the world.
        num_episodes: Integer, episodes of a training step.
        test_episodes: Integer, episodes of a look.
        minigrid: Bool, whether the world is `MultiRoom-N2-S4` of MiniGrid.
        epsilon: Float, of direct policy gradients.
        budget: Integer, steps of the search for an episode.
        units: Integer, units of the two hidden layers.

    Returns:
        Dict of floats: the share of `finished` episodes at the end, `steps_to_goal`,
        `nodes_per_second`, and `steps_1`, `finished_1`, `return_1` and so on of each
        look.
    """
    world = multi_room() if minigrid else Rooms(num_rooms=2, room_size=4)
    model = build(agent, world, seed, num_episodes, epsilon, budget, units)
    looks = Looks(world, test_episodes if not minigrid else 20, steps)
    # A guess of the episodes of a look: those that take all of their time, and search.
    longest = world.horizon + (budget if agent == "direct" else 0)
    share = max(1, steps // (_LOOKS * longest * num_episodes))
    epochs = 8 * _LOOKS  # Episodes get shorter: the steps end the training.
    begin = time.monotonic()
    model.fit(world, episodes=share * num_episodes * epochs, epochs=epochs, verbose=0,
              callbacks=[looks])
    spent = time.monotonic() - begin
    taken, finished = (np.array([look[name] for look in looks.found])
                       for name in ("steps", "finished"))
    good = np.flatnonzero(finished >= 0.9)
    return {"finished": finished[-1],
            "steps_to_goal": taken[good[0]] if len(good) else taken[-1],
            "nodes_per_second": taken[-1] / spent,
            **numbered(looks.found, "steps", "finished", "return")}


def build(agent, world, seed, num_episodes=16, epsilon=10.0, budget=300, units=64):
    """The compiled agent of a name.

    Args:
        agent: One of `AGENTS`.
        world: `World`.
        seed: Integer.
        num_episodes: Integer, episodes of a training step.
        epsilon: Float, of direct policy gradients.
        budget: Integer, steps of the search for an episode.
        units: Integer, units of the two hidden layers.
    """
    if agent not in AGENTS:
        raise ValueError(f"Expected one of {AGENTS}. Received: agent={agent!r}")
    keras.utils.set_random_seed(seed)  # For the initial weights.
    policy = MLP(world.observation_shape, (units, units), world.num_actions)
    common = dict(num_episodes=num_episodes, discount=0.97, seed=seed)
    if agent == "direct":
        model = DirectPolicyGradient(policy, epsilon=epsilon, budget=budget, **common)
    elif agent == "reinforce":
        model = Reinforce(policy, **common)
    else:
        model = CrossEntropyMethod(policy, **{**common,
                                              "num_episodes": 5 * num_episodes})
    model.compile(keras.optimizers.Adam(3e-3))
    return model


def multi_room():
    """`MultiRoom-N2-S4` with a reward of 1 for the goal and .3 for an opened door."""

    def reward(before, after, found):
        return float(found > 0) + 0.3 * (_doors(after) - _doors(before))

    return GymWorld("MiniGrid-MultiRoom-N2-S4-v0", reward=reward, bound=_bound)


def _doors(environment):
    """Open doors of an environment of MiniGrid."""
    return sum(cell is not None and cell.type == "door" and cell.is_open
               for cell in environment.grid.grid)


def _bound(environment, discount):
    """The goal on a straight way, and all doors that are closed, at once."""
    goals = [place for place, cell in enumerate(environment.grid.grid)
             if cell is not None and cell.type == "goal"]
    closed = sum(cell is not None and cell.type == "door" and not cell.is_open
                 for cell in environment.grid.grid)
    doors_open = _doors(environment)
    x, y = environment.agent_pos
    way = min(abs(place % environment.width - x) + abs(place // environment.width - y)
              for place in goals)
    to_goal = 0.0 if way == 0 else discount**max(way - 1, 0)
    return -0.3 * doors_open, to_goal + 0.3 * closed
