"""Foraging: exploration by posteriors and by chance, with rewards all the way.

A walker with nine eyes eats red things and avoids yellow ones and walls. Rewards are
frequent, so that there is less to gain by exploration than in Deep Sea.

Reference: in the spirit of the figure in Gal, Uncertainty in Deep Learning, PhD thesis,
2016: average reward against batches, Thompson sampling by dropout above epsilon-greedy.
"""

import numpy as np

from bdlzoo.worlds import Foraging
from tools.reproduce.looks import Looks, numbered
from tools.reproduce.table import Row, Table
from tools.reproduce.thompson_deep_sea import build

_LINES = (
    ("random", "random", {}),
    *((f"epsilon-greedy, {epsilon}", "epsilon_greedy", {"epsilon": epsilon})
      for epsilon in (0.02, 0.1, 0.3)),
    ("dropout, a mask a step", "dropout", {"resample": "step"}),
    ("ensemble of 10", "ensemble", {}))
_LOOKS = 10
_GOAL = 11.1

TABLE = Table(
    name="thompson_foraging",
    title="Foraging: returns by exploration",
    subject="Decisions",
    metrics=("return_end", "return_mean", "steps_to_goal"),
    rows=tuple(Row(label, "thompson_foraging", changes=dict(agent=agent, **changes))
               for label, agent, changes in _LINES),
    note="48,000 steps of the world, sixteen walkers side by side with a training step "
         "after them; ten looks at the greedy policy, 32 episodes each. The mean is "
         "over looks. Steps to the goal are those until a look with a return of "
         f"{_GOAL}, which is 90 % of the best mean return that a line has at the end; "
         "where there is none, all steps are counted.",
    num_seeds=10,
    headline=(("ensemble of 10", "steps_to_goal"),
              ("epsilon-greedy, 0.02", "steps_to_goal")),
    figures=("thompson_foraging.png",))


def run(seed=0, agent="dropout", steps=48_000, horizon=200, test_episodes=32,
        num_worlds=16, units=64, goal=_GOAL, **options):
    """Trains a walker, and looks at it ten times.

    Args:
        seed: Integer.
        agent: One of the agents of `thompson_deep_sea`.
        steps: Integer, steps of the world.
        horizon: Integer, steps of an episode.
        test_episodes: Integer, episodes of a look.
        num_worlds: Integer, walkers side by side.
        units: Integer, hidden units.
        goal: Float, a return.
        **options: Arguments of the agent.

    Returns:
        Dict of floats: `return_end`, `return_mean` and `steps_to_goal`, and
        `steps_1`, `return_1` and so on of each look.
    """
    world = Foraging(horizon=horizon)
    model = build(agent, world, seed, units, learning_rate=1e-3, num_worlds=num_worlds,
                  warm_up=1000, discount=0.95, replay_size=20_000, **options)
    looks = Looks(world, test_episodes, greedy=True)
    model.fit(world, episodes=max(1, steps // horizon), epochs=_LOOKS, verbose=0,
              callbacks=[looks])
    taken, returns = (np.array([look[name] for look in looks.found])
                      for name in ("steps", "return"))
    good = np.flatnonzero(returns >= goal)
    return {"return_end": returns[-1], "return_mean": returns.mean(),
            "steps_to_goal": taken[good[0]] if len(good) else taken[-1],
            **numbered(looks.found, "steps", "return")}
