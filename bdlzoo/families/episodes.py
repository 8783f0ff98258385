"""Whole episodes of a policy, side by side."""

import typing

import numpy as np

from bdlzoo.core import counter_noise
from bdlzoo.worlds.world import rows


class Episodes(typing.NamedTuple):
    """Steps of several episodes, one after the other."""

    episode: np.ndarray  # Place of the episode of each step `[N]`.
    seen: np.ndarray  # Observations before the steps `[N, *shape]`.
    actions: np.ndarray  # [N]
    returns: np.ndarray  # Sums of discounted rewards `[E]`.
    totals: np.ndarray  # Sums of rewards `[E]`.
    finished: np.ndarray  # Whether an episode came to its end in time `[E]`.


def play(world, seeds, log_policy, noise_seeds, discount=1.0, greedy=False):
    """Acts by a policy until all episodes are over.

    Args:
        world: `World`.
        seeds: Integers `[E]`, the seeds of the episodes.
        log_policy: Function from observations `[B, *shape]` to log probabilities of
            actions, `[B, A]`, or to values, which are then taken as such.
        noise_seeds: Integers `[E]`, seeds of the noise of the policy.
        discount: Float, factor of rewards for each step.
        greedy: Bool, whether the most probable actions are taken.

    Returns:
        `Episodes`.
    """
    state, noise_seeds = world.start(seeds), np.asarray(noise_seeds)
    going = np.arange(len(state["seed"]))
    returns, totals = np.zeros(len(going)), np.zeros(len(going))
    finished, parts = np.zeros(len(going), bool), []
    for time in range(world.horizon):
        seen = world.observe(state)
        scores = np.asarray(log_policy(seen), "float64")
        if not greedy:
            scores = scores + counter_noise.gumbel(
                noise_seeds[going][:, None], time, np.arange(world.num_actions))
        actions = scores.argmax(axis=1)
        step = world.step(state, actions)
        parts.append((going, seen, actions))
        returns[going] += discount**time * step.rewards
        totals[going] += step.rewards
        finished[going] = step.terminal
        state, going = rows(step.state, ~step.ended), going[~step.ended]
        if not len(going):
            break
    return Episodes(*(np.concatenate(part) for part in zip(*parts)), returns, totals,
                    finished)
