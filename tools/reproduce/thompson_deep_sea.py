"""Exploration in Deep Sea: Thompson sampling against epsilon-greedy.

Of 2**N plans one finds the treasure, and every step towards it costs a little. Steps of
the world are counted until the greedy policy has 90 % of the best return. All agents
have the same network, replay, target network and optimiser; they differ in how they
explore, and in what posterior of the values they hold.
"""

import keras
import numpy as np

from bdlzoo.methods import DropoutQNetwork, EpsilonGreedy, PosteriorQNetwork
from bdlzoo.networks import MLP
from bdlzoo.worlds import DeepSea
from tools.reproduce.table import Row, Table

AGENTS = ("random", "epsilon_greedy", "dropout", "ensemble", "anchored", "mean_field")
_LINES = (
    ("random", "random", {}),
    *((f"epsilon-greedy, {epsilon}", "epsilon_greedy", {"epsilon": epsilon})
      for epsilon in (0.02, 0.1, 0.3)),
    ("dropout, a mask a step", "dropout", {"resample": "step"}),
    ("dropout, a mask an episode", "dropout", {}),
    ("ensemble of 10", "ensemble", {}),
    ("anchored ensemble of 10", "anchored", {}),
    ("mean-field VI", "mean_field", {}))

TABLE = Table(
    name="thompson_deep_sea",
    title="Deep Sea of ten steps: exploration by posteriors and by chance",
    subject="Decisions",
    metrics=("solved", "steps_to_solve", "episodes_to_solve"),
    rows=tuple(Row(label, "thompson_deep_sea", changes=dict(agent=agent, **changes))
               for label, agent, changes in _LINES),
    note="Steps of the world until the greedy policy has 90 % of the best return, "
         "looked at every 20 episodes; where it never has, the 1,000 episodes of the "
         "whole training are counted. The meaning of actions differs between cells. "
         "Dropout at a fixed rate keeps its variance whatever it has seen, and holds "
         "no more of it for what it has not.",
    num_seeds=10,
    headline=(("anchored ensemble of 10", "steps_to_solve"),
              ("epsilon-greedy, 0.1", "steps_to_solve")),
    figures=("thompson_deep_sea.png",))


class UntilSolved(keras.callbacks.Callback):
    """Ends a training when the greedy policy is good enough.

    Args:
        world: `World`.
        goal: Float, a return.
        episodes: Integer, episodes of an evaluation.
    """

    def __init__(self, world, goal, episodes=1):
        super().__init__()
        self.world, self.goal, self.episodes = world, goal, episodes
        self.steps = None

    def on_epoch_end(self, epoch, logs=None):
        found = self.model.evaluate(self.world, self.episodes, greedy=True)
        if found["return"] >= self.goal:
            self.steps = logs["world_steps"]
            self.model.stop_training = True


def run(seed=0, agent="ensemble", size=10, episodes=1000, every=20, units=50,
        num_worlds=4, **options):
    """Trains an agent until it is good enough.

    Args:
        seed: Integer.
        agent: One of `AGENTS`.
        size: Integer, steps of an episode.
        episodes: Integer, largest number of episodes.
        every: Integer, episodes between two looks at the greedy policy.
        units: Integer, hidden units.
        num_worlds: Integer, episodes side by side.
        **options: Arguments of the agent.

    Returns:
        Dict of floats: whether it was `solved`, and `steps_to_solve` and
        `episodes_to_solve`.
    """
    world = DeepSea(size, shuffled=True)
    model = build(agent, world, seed, units, num_worlds=num_worlds,
                  target_every=25, **options)
    best = world.bounds(world.start([0]))[1][0]
    until = UntilSolved(world, 0.9 * best)
    # Callbacks that are called first add the steps to the logs.
    model.fit(world, episodes=episodes, epochs=max(1, episodes // every), verbose=0,
              callbacks=[until])
    steps = until.steps or float(episodes * size)
    return {"solved": float(until.steps is not None), "steps_to_solve": steps,
            "episodes_to_solve": steps / size}


def build(agent, world, seed, units=50, learning_rate=3e-3, warm_up=64, epsilon=0.1,
          num_worlds=4, noise_scale=0.1, **options):
    """The compiled agent of a name.

    Args:
        agent: One of `AGENTS`.
        world: `World`.
        seed: Integer.
        units: Integer, hidden units.
        learning_rate: Float, that of Adam.
        warm_up: Integer, steps by random actions at first.
        epsilon: Float, of epsilon-greedy.
        num_worlds: Integer, episodes side by side.
        noise_scale: Float, standard deviation of targets for posteriors with a prior.
        **options: Further arguments of the agent.
    """
    if agent not in AGENTS:
        raise ValueError(f"Expected one of {AGENTS}. Received: agent={agent!r}")
    keras.utils.set_random_seed(seed)  # For the initial weights.
    shape, actions = world.observation_shape, world.num_actions
    common = dict(num_worlds=num_worlds, warm_up=warm_up, seed=seed, **options)
    plain = MLP(shape, (units,), actions, dropout=0.1 if agent == "dropout" else 0.0)
    if agent in ("random", "epsilon_greedy"):
        model = EpsilonGreedy(plain, 1.0 if agent == "random" else epsilon, **common)
    elif agent == "dropout":
        model = DropoutQNetwork(plain, **common)
    elif agent == "mean_field":
        layer = {"type": "DenseReparameterization", "init_scale": 0.1}
        network = MLP(shape, (units,), actions, layer=layer)
        model = PosteriorQNetwork(network, "MeanFieldVI", noise_scale=noise_scale,
                                  **common)
    else:
        spec = {"type": "DeepEnsemble", "num_members": 10}
        if agent == "anchored":
            spec.update(prior_scale=0.5, anchored=True)
        model = PosteriorQNetwork(plain, spec, num_samples=10, noise_scale=noise_scale,
                                  **common)
    model.compile(keras.optimizers.Adam(learning_rate))
    return model


def curves(rows):
    """Arguments of `bdlzoo.reports.return_curves`: shares of solved seeds.

    Args:
        rows: Rows of the results.
    """
    last = max(scores["steps_to_solve"] for row in rows for scores in row["scores"])
    places = np.linspace(0.0, last, 201)
    lines = {}
    for row in rows:
        solved = np.array([scores["steps_to_solve"] if scores["solved"] else np.inf
                           for scores in row["scores"]])
        lines[row["label"]] = [(places, (solved <= places[:, None]).mean(axis=1))]
    return {"lines": lines}
