"""Rooms and doors: direct policy gradients beside REINFORCE and cross-entropy.

All agents have the same policy network, world, discount and optimiser, and may take as
many steps of the world; those of the search count. Every few thousand of them the
policy plays episodes that are none of training. The number of episodes of a training
step and the learning rate of each agent were chosen on other seeds than those of the
table.

The search is led by the bounds of the world, which know the map: it can tell how far
the doors and the goal are, where the policy sees the cells around it alone. With an
epsilon of 1,000, returns decide nearly alone what is better.

Reference: Lorberbom et al., Direct Policy Gradients, NeurIPS 2020, whose figures are
curves on the `MultiRoom` environments of MiniGrid.
"""

import copy
import time

import keras
import numpy as np

from bdlzoo.methods import CrossEntropyMethod, DirectPolicyGradient, Reinforce
from bdlzoo.networks import MLP
from bdlzoo.worlds import GymWorld, Rooms
from bdlzoo.worlds.gym_world import made
from tools.reproduce.looks import Looks, numbered
from tools.reproduce.table import Row, Table

# The class, its arguments, and the learning rate of Adam.
AGENTS = {
    "direct": (DirectPolicyGradient, dict(
        epsilon=1000.0, bound_weight=0.5, budget=100, until="better", num_episodes=8),
        0.01),
    "reinforce": (Reinforce, dict(num_episodes=8), 0.003),
    "cross_entropy": (CrossEntropyMethod, dict(num_episodes=16, elite=0.1), 0.003)}
_LOOKS = 50  # At the policy, in a training.
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
        note="120,000 steps of the world for each agent, those of the search among "
             "them. Steps to the goal are those until 90 % of 100 test episodes reach "
             "it; where that was never so, all steps are counted. The search is led by "
             "bounds that know the map; the policies see the cells around them. Steps "
             "a second are those of training, with the policy, the search, the "
             "training steps and the test episodes in the time.",
        num_seeds=5,
        headline=(("direct policy gradient", "finished"), ("REINFORCE", "finished")),
        figures=("rooms_gradients.png",)),
    Table(
        name="minigrid_rooms",
        title="MiniGrid MultiRoom-N2-S4: share of episodes that reach the goal",
        subject="Decisions",
        metrics=("finished", "steps_to_goal", "nodes_per_second"),
        rows=tuple(Row(label, "rooms_gradients", changes=dict(
            agent=agent, minigrid=True, steps=20_000, test_episodes=20))
            for label, agent in _LINES[:2]),
        note="20,000 steps of the environment, with a reward of 1 for the goal and 0.3 "
             "for an opened door. Needs `bdlzoo[decisions]`.",
        num_seeds=1))


def run(seed=0, agent="direct", steps=120_000, test_episodes=100, minigrid=False,
        units=64, **options):
    """Trains an agent, and looks at it about fifty times.

    Args:
        seed: Integer.
        agent: One of `AGENTS`.
        steps: Integer, steps of the world.
        test_episodes: Integer, episodes of a look.
        minigrid: Bool, whether the world is `MultiRoom-N2-S4` of MiniGrid.
        units: Integer, units of the two hidden layers.
        **options: Arguments of the agent.

    Returns:
        Dict of floats: the share of `finished` episodes at the end, `steps_to_goal`,
        `nodes_per_second`, and `steps_1`, `finished_1`, `return_1` and so on of each
        look.
    """
    world = multi_room() if minigrid else Rooms(num_rooms=2, room_size=4)
    model = build(agent, world, seed, units, **options)
    looks = Looks(world, test_episodes, steps, steps / _LOOKS)
    # Epochs are short, and too many: the steps end the training.
    batch = model.num_episodes
    share = max(1, int(looks.every) // (batch * (world.horizon + 100)))
    epochs = 1 + steps // (2 * batch * share)
    begin = time.monotonic()
    model.fit(world, episodes=share * batch * epochs, epochs=epochs, verbose=0,
              callbacks=[looks])
    spent = time.monotonic() - begin
    taken, finished = (np.array([look[name] for look in looks.found])
                       for name in ("steps", "finished"))
    good = np.flatnonzero(finished >= 0.9)
    return {"finished": finished[-1],
            "steps_to_goal": taken[good[0]] if len(good) else taken[-1],
            "nodes_per_second": taken[-1] / spent,
            **numbered(looks.found, "steps", "finished", "return")}


def build(agent, world, seed, units=64, **options):
    """The compiled agent of a name.

    Args:
        agent: One of `AGENTS`.
        world: `World`.
        seed: Integer.
        units: Integer, units of the two hidden layers.
        **options: Arguments of the agent.
    """
    if agent not in AGENTS:
        raise ValueError(f"Expected one of {tuple(AGENTS)}. Received: agent={agent!r}")
    keras.utils.set_random_seed(seed)  # For the initial weights.
    policy = MLP(world.observation_shape, (units, units), world.num_actions)
    kind, chosen, rate = AGENTS[agent]
    model = kind(policy, **{"discount": 0.97, "seed": seed, **chosen, **options})
    model.compile(keras.optimizers.Adam(rate))
    return model


class MultiRoom:
    """`MultiRoom-N2-S4` of MiniGrid, with states that are cheap to go back to.

    The reward is 1 for the goal, and 0.3 for each door that is opened, which is lost
    again where it is closed.
    """

    def __init__(self):
        self.env = made("MiniGrid-MultiRoom-N2-S4-v0")
        self.unwrapped = self.env.unwrapped
        self.action_space = self.env.action_space
        self.observation_space = self.env.observation_space
        self.reset, self.render = self.env.reset, self.env.render

    def step(self, action):
        before = _doors(self.unwrapped)
        seen, reward, *rest = self.unwrapped.step(action)
        return seen, (reward > 0) + 0.3 * (_doors(self.unwrapped) - before), *rest

    def state(self):
        inside = self.unwrapped
        return ([copy.copy(cell) for cell in inside.grid.grid], inside.agent_pos,
                inside.agent_dir, inside.carrying, inside.step_count)

    def restore(self, state):
        inside = self.unwrapped
        cells, inside.agent_pos, inside.agent_dir, *rest = state
        inside.carrying, inside.step_count = rest
        inside.grid.grid = [copy.copy(cell) for cell in cells]


def multi_room():
    """The world of `MultiRoom`."""
    return GymWorld(MultiRoom(), bound=_bound)


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
