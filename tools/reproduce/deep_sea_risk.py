"""Risk in Deep Sea: which plan direct policy gradients learn, against epsilon.

A grid of four steps. Right costs 1 / 3; right in all four steps finds a treasure whose
value is normal with mean 1 and a standard deviation of 10. So the plan RRRR and the
plan LLLL both return 0 on average, the first with a large risk. A table of logits is
trained for

    mean over worlds of 1 / epsilon log E_a[exp(epsilon R(a))]

by its exact gradient, as the sixteen plans can be counted, and by the estimator: the
search for pairs of sequences.

The variance that a positive epsilon rewards is that over the plans in one world: it is
largest for an even mixture of the two. So a positive epsilon gives the gamble half of
the time, and not always.

Reference: Lorberbom et al., Direct Policy Gradients, NeurIPS 2020, and the notebook of
its released code.
"""

import functools
import itertools

import keras
import numpy as np

from bdlzoo.core import counter_noise
from bdlzoo.methods import DirectPolicyGradient
from bdlzoo.worlds import DeepSea
from tools.reproduce.table import Row, Table

SIZE = 4
_STEPS, _WORLDS, _RATE = 6000, 64, 0.02  # Of the exact gradient.
_EPSILONS = tuple(float(2.0**(power - 3.0)) for power in np.linspace(0.01, 5.0, 10))
_SIGNED = tuple(sorted([*_EPSILONS, *(-epsilon for epsilon in _EPSILONS)]))
_METRICS = ("gamble", "safe", "return_mean", "return_std")


def _rows(epsilons, **changes):
    signed = [-epsilon for epsilon in reversed(epsilons)] + list(epsilons)
    return tuple(Row(f"epsilon {epsilon:.3g}", "deep_sea_risk",
                     changes=dict(epsilon=epsilon, **changes)) for epsilon in signed)


TABLES = (
    Table(
        name="deep_sea_risk",
        title="Deep Sea: the plan that is learnt, by the risk parameter",
        subject="Decisions",
        metrics=_METRICS,
        rows=_rows(_EPSILONS),
        note="Exact gradients over all sixteen plans, 64 worlds a step, 6,000 steps of "
             "Adam from logits near 0. The gamble is right in all four steps, the "
             "safe plan left in all four; both have a mean return of 0. A negative "
             "epsilon is to give the safe plan. A positive one gives an even mixture, "
             "and not the gamble alone: the variance that it seeks is over plans in "
             "one world, of which a sure gamble has none.",
        num_seeds=4,
        headline=(("epsilon -0.126", "safe"), ("epsilon 0.126", "gamble")),
        figures=("deep_sea_risk.png",)),
    Table(
        name="deep_sea_search",
        title="Deep Sea: the same by search, with DirectPolicyGradient",
        subject="Decisions",
        metrics=_METRICS,
        rows=_rows((_EPSILONS[3], _EPSILONS[6], _EPSILONS[9]), by="search"),
        note="The estimator in the place of the exact gradient: pairs of sequences "
             "that a search finds, 32 episodes a step, 1,500 steps of Adam.",
        num_seeds=2))


def run(seed=0, epsilon=1.0, by="enumeration", steps=None, test_episodes=2000):
    """Trains a table of logits; returns what it does.

    Args:
        seed: Integer.
        epsilon: Float that is not 0.
        by: `"enumeration"` for exact gradients, `"search"` for the estimator.
        steps: Integer, steps of Adam; `None` takes those of the tables.
        test_episodes: Integer, worlds of the mean return.

    Returns:
        Dict of floats: probabilities of the `gamble` (right four times) and of the
        `safe` plan (left four times), and the mean and the standard deviation of
        returns.
    """
    if by not in ("enumeration", "search"):
        raise ValueError("Expected \"enumeration\" or \"search\". Received: "
                         f"by={by!r}")
    world = sea()
    if by == "enumeration":
        # All lines of the table at once, which takes hardly longer than one of them.
        known = _SIGNED if epsilon in _SIGNED else (epsilon,)
        logits = _by_enumeration(seed, known, steps or _STEPS)[known.index(epsilon)]
    else:
        logits = _by_search(world, seed, epsilon, steps or 1500)
    shares = probabilities(logits)
    values = returns(world, _seeds(seed, 10**9, test_episodes))  # [S, plans]
    mean = np.mean(values @ shares)
    return {"gamble": shares[-1], "safe": shares[0], "return_mean": mean,
            "return_std": np.sqrt(np.mean((values - mean)**2 @ shares))}


def sea():
    """The world of the experiment."""
    return DeepSea(SIZE, cost=1 / 3, treasure=1.0, spread=10.0)


@functools.cache
def plans():
    """All plans `[16, 4]`, from LLLL to RRRR, and the cells that they go through."""
    actions = np.array(list(itertools.product((0, 1), repeat=SIZE)))
    world = DeepSea(SIZE)
    state, cells = world.start(np.zeros(len(actions))), []
    for chosen in actions.T:
        cells.append(state["row"] * SIZE + state["column"])
        state = world.step(state, chosen).state
    return actions, np.transpose(cells)


def returns(world, seeds):
    """Returns of all plans in the worlds of seeds, `[S, 16]`.

    Args:
        world: `DeepSea`.
        seeds: Integers `[S]`.
    """
    actions, _ = plans()
    found = np.tile(-world.cost * actions.sum(axis=1), (len(seeds), 1))
    found[:, -1] = world.value(world.start(seeds)) - world.cost * (SIZE - 1)
    return found


def probabilities(logits):
    """Probabilities of all plans, `[..., 16]`.

    Args:
        logits: Array `[..., cells, 2]`.
    """
    actions, cells = plans()
    logs = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)
    return np.exp(logs[..., cells, actions].sum(axis=-1))


def risk_gradient(logits, values, epsilon):
    """Gradient of the mean of `1 / epsilon log E exp(epsilon R)`, `[..., cells, 2]`.

    Args:
        logits: Array `[..., cells, 2]`.
        values: Returns of plans `[S, 16]`.
        epsilon: Floats that are not 0, `[...]`.
    """
    epsilon = np.asarray(epsilon)[..., None]
    logs = np.log(np.maximum(probabilities(logits), 1e-300))  # [..., 16]
    tilted = logs[..., None, :] + epsilon[..., None] * values  # [..., S, 16]
    tilted = np.exp(tilted - tilted.max(axis=-1, keepdims=True))
    weights = (tilted / tilted.sum(axis=-1, keepdims=True)).mean(axis=-2) / epsilon
    taken = (weights @ _visits()).reshape(logits.shape)
    shares = np.exp(logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True))
    return taken - taken.sum(axis=-1, keepdims=True) * shares


@functools.cache
def _visits():
    """Whether plans take an action in a cell, `[16, cells * 2]`."""
    actions, cells = plans()
    found = np.zeros((len(actions), SIZE**2 * 2))
    np.put_along_axis(found, 2 * cells + actions, 1.0, axis=1)
    return found


@functools.cache
def _by_enumeration(seed, epsilons, steps):
    """Logits that are learnt for several epsilons, `[P, cells, 2]`."""
    world, epsilons = sea(), np.array(epsilons)
    start = 0.1 * counter_noise.normal(seed, 5, np.arange(SIZE**2)[:, None],
                                       np.arange(2))
    logits = np.tile(start, (len(epsilons), 1, 1))
    speed, size = np.zeros_like(logits), np.zeros_like(logits)
    for step in range(1, 1 + steps):
        values = returns(world, _seeds(seed, step * _WORLDS, _WORLDS))
        slope = risk_gradient(logits, values, epsilons)
        speed, size = 0.9 * speed + 0.1 * slope, 0.999 * size + 0.001 * slope**2
        logits = logits + _RATE * (speed / (1.0 - 0.9**step)) / (
            np.sqrt(size / (1.0 - 0.999**step)) + 1e-8)
    return logits


def _by_search(world, seed, epsilon, steps):
    keras.utils.set_random_seed(seed)
    policy = keras.Sequential([
        keras.Input(world.observation_shape), keras.layers.Flatten(),
        keras.layers.Dense(2, use_bias=False,
                           kernel_initializer=keras.initializers.RandomNormal(0.1))])
    model = DirectPolicyGradient(policy, epsilon=epsilon, budget=None, discount=1.0,
                                 num_episodes=32, seed=seed)
    model.compile(keras.optimizers.Adam(_RATE))
    model.fit(world, episodes=32 * steps, epochs=1, verbose=0)
    return policy.get_weights()[0].astype("float64")


def _seeds(seed, first, count):
    words = counter_noise.words(seed, 6, first + np.arange(count))
    return (words >> np.uint64(2)).astype("int64")


def curve(rows):
    """Arguments of `bdlzoo.reports.risk_choices` from rows of the table."""
    found = {float(row["label"].split()[1]): row["scores"] for row in rows}
    return {"epsilons": sorted(found), "shares": {
        name: [[scores[metric] for scores in found[epsilon]]
               for epsilon in sorted(found)]
        for name, metric in (("gamble", "gamble"), ("safe plan", "safe"))}}
