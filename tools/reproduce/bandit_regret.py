"""Contextual bandits: which posterior of the zoo explores best?

Five arms whose mean rewards are smooth functions of a context of eight numbers. Each
agent takes an arm by a draw of its posterior, sees the reward of this arm alone, and
takes a training step. The regret is how much less than the best arm it got.

Reference: Riquelme, Tucker and Snoek, Deep Bayesian Bandits Showdown, ICLR 2018.
"""

import keras
import numpy as np

from bdlzoo import CosineCycles
from bdlzoo.families.acting import Acting
from bdlzoo.methods import EpsilonGreedy, PosteriorQNetwork
from bdlzoo.networks import MLP
from bdlzoo.worlds import ContextualBandit
from tools.reproduce.looks import numbered
from tools.reproduce.table import Row, Table

_FLIPOUT = {"type": "DenseFlipout", "init_scale": 0.05}
_NOISE = 0.3
_LOOKS = 20  # Points of a curve.
# A posterior: the spec, options of the network, and the optimiser.
POSTERIORS = {
    "dropout": ("MCDropout", {"dropout": 0.1}, None),
    "alpha-divergence dropout": ({"type": "AlphaDivergenceDropout",
                                  "prior_scale": 1.0}, {"dropout": 0.1}, None),
    "ensemble": ({"type": "DeepEnsemble", "num_members": 10}, {}, None),
    "anchored ensemble": ({"type": "DeepEnsemble", "num_members": 10, "anchored": True,
                           "prior_scale": 1.0}, {}, None),
    "mean-field VI": ("MeanFieldVI", {"layer": _FLIPOUT}, None),
    "SGLD": ({"type": "SGLD", "num_chains": 4, "num_kept": 5, "thinning": 20,
              "prior_scale": 1.0}, {}, "sgd"),
    "SGHMC": ({"type": "SGHMC", "num_chains": 4, "num_kept": 5, "thinning": 20,
               "prior_scale": 1.0}, {}, "momentum"),
    "cyclical SGMCMC": ({"type": "CyclicalSGMCMC", "num_chains": 4, "num_kept": 5,
                         "thinning": 20, "prior_scale": 1.0}, {}, "cycles")}
_OTHERS = (("greedy", 0.0), ("epsilon-greedy, 0.02", 0.02),
           ("epsilon-greedy, 0.1", 0.1), ("random", 1.0))

TABLE = Table(
    name="bandit_regret",
    title="Contextual bandit: regret of Thompson sampling by eight posteriors",
    subject="Decisions",
    metrics=("regret", "regret_late"),
    rows=(*(Row(label, "bandit_regret", changes=dict(posterior=label))
            for label in POSTERIORS),
          *(Row(label, "bandit_regret", changes=dict(epsilon=epsilon))
            for label, epsilon in _OTHERS)),
    note="4,000 choices, four side by side with a training step after them; another "
         "bandit for each seed. The regret is the sum over choices of the mean reward "
         "of the best arm minus that of the one that was taken; the late one is the "
         "mean of the last 1,000 choices, a choice. All networks have 50 hidden units "
         "and know the noise of rewards.",
    num_seeds=5,
    headline=(("anchored ensemble", "regret"), ("greedy", "regret")),
    figures=("bandit_regret.png",))


def run(seed=0, posterior=None, epsilon=None, choices=4000, units=50, num_worlds=4):
    """Plays a bandit.

    Args:
        seed: Integer, also of the bandit.
        posterior: Key of `POSTERIORS`, or `None`.
        epsilon: Float, that of epsilon-greedy, where there is no posterior.
        choices: Integer.
        units: Integer, hidden units.
        num_worlds: Integer, choices before each training step.

    Returns:
        Dict of floats: `regret`, the sum, `regret_late`, the mean of the last
        quarter, and `steps_1`, `regret_1` and so on, the sums on the way.
    """
    world = ContextualBandit(task=seed, noise_scale=_NOISE)
    model = build(world, seed, posterior, epsilon, units, num_worlds)
    regrets = []

    class Noted(ContextualBandit):
        def move(self, state, actions):
            regrets.extend(self.regrets(state["context"], actions))
            return super().move(state, actions)

    model.fit(Noted(task=seed, noise_scale=_NOISE), episodes=choices, epochs=1,
              verbose=0)
    regrets = np.array(regrets[:choices])
    places = np.linspace(0, choices, _LOOKS + 1, dtype=int)[1:]
    looks = [{"steps": place, "regret": regrets[:place].sum()} for place in places]
    return {"regret": regrets.sum(),
            "regret_late": regrets[-(len(regrets) // 4):].mean(),
            **numbered(looks, "steps", "regret")}


def build(world, seed, posterior=None, epsilon=None, units=50, num_worlds=4):
    """The compiled agent of a line.

    Args:
        world: `ContextualBandit`.
        seed: Integer.
        posterior: Key of `POSTERIORS`, or `None`.
        epsilon: Float, that of epsilon-greedy, where there is no posterior.
        units: Integer, hidden units.
        num_worlds: Integer, choices before each training step.
    """
    if (posterior is None) == (epsilon is None):
        raise ValueError("Expected either a posterior or an epsilon. Received: "
                         f"posterior={posterior!r}, epsilon={epsilon}")
    keras.utils.set_random_seed(seed)  # For the initial weights.
    shape, arms = world.observation_shape, world.num_actions
    common = dict(num_worlds=num_worlds, warm_up=20, batch_size=64, seed=seed,
                  noise_scale=_NOISE)
    if posterior is None:
        model = EpsilonGreedy(MLP(shape, (units,), arms), epsilon, **common)
        optimizer = None
    else:
        spec, options, optimizer = POSTERIORS[posterior]
        model = PosteriorQNetwork(MLP(shape, (units,), arms, **options), spec,
                                  num_samples=10, **common)
    model.compile({None: lambda: keras.optimizers.Adam(3e-3),
                   "sgd": lambda: keras.optimizers.SGD(0.003),
                   "momentum": lambda: keras.optimizers.SGD(0.001, momentum=0.9),
                   "cycles": lambda: keras.optimizers.SGD(
                       CosineCycles(0.003, cycle_steps=200)),
                   }[optimizer]())
    return model


def first_batch(model, world):
    """The batch of the first training step of an agent.

    Args:
        model: Agent that `build` returned.
        world: `ContextualBandit`.
    """
    model.build_for(world)
    return model.collect(Acting(world, 1, model.memory_for(world)), 0)
