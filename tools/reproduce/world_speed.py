"""Speed of the bundled worlds, and of the search for action sequences."""

import time

import numpy as np

from bdlzoo.core import registry
from bdlzoo.families.gumbel_search import search
from bdlzoo.worlds import Rooms, SideBySide
from tools.reproduce.table import Row, Table

WORLDS = ("DeepSea", "Rooms", "Foraging", "ContextualBandit")
_SECONDS = 2.0

TABLE = Table(
    name="world_speed",
    title="Steps of the bundled worlds in a second, and nodes of the search",
    subject="Decisions",
    metrics=("steps_per_second", "microseconds"),
    rows=(*(Row(name, "world_speed", changes=dict(world=name)) for name in WORLDS),
          Row("search in Rooms", "world_speed", changes=dict(world="search"))),
    note="64 episodes side by side, with what agents see of each step, in the time of "
         "one core that the process had. The search expands a node of each of 16 "
         "episodes at once, with a policy that costs nothing: its time is that of the "
         "tree, the world and the bounds.",
    num_seeds=3)


def run(seed=0, world="DeepSea", seconds=_SECONDS):
    """Steps a world as fast as it goes.

    Args:
        seed: Integer.
        world: One of `WORLDS`, or `"search"`.
        seconds: Float, how long.

    Returns:
        Dict of floats: `steps_per_second`, and the `microseconds` of a step.
    """
    if world not in (*WORLDS, "search"):
        raise ValueError(f"Expected one of {WORLDS} or \"search\". Received: "
                         f"world={world!r}")
    go = _searching(seed) if world == "search" else _stepping(world, seed)
    go()  # Once, so that all is loaded.
    steps, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        steps += go()
    spent = time.process_time() - start
    return {"steps_per_second": steps / spent, "microseconds": 1e6 * spent / steps}


def _stepping(name, seed):
    running = SideBySide(registry.build({"type": name}), 64, seed)
    actions = np.arange(64) % running.world.num_actions

    def go():
        running.observe()
        running.step(actions)
        return 64

    return go


def _searching(seed):
    world = Rooms(num_rooms=2)

    def policy(seen):
        return np.full((len(seen), 5), -np.log(5.0))

    def go():
        seeds = np.arange(16) + seed
        found = search(world, seeds, policy, 10.0, seeds, 0.97, budget=100)
        return sum(each.steps for each in found)

    return go
