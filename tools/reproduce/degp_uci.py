"""Ensembles with and without a functional prior on UCI regression sets.

    perceptron of two hidden layers, Gaussian likelihood with learnt noise

The same members, steps and optimiser for `DEGP` and for a deep ensemble with the
same head. Inputs and targets are standardised by training rows; RMSE and the
negative log-likelihood of the mixture over draws are in raw units.

Reference: Deng et al., Deep Ensemble as a Gaussian Process Approximate Posterior,
2022.
"""

import math

import keras

from bdlzoo import data
from bdlzoo.methods import DEGP, DeepEnsemble
from bdlzoo.networks import MLP
from tools.reproduce.table import Row, Table

METHODS = ("degp", "deep_ensemble")

TABLE = Table(
    name="degp_uci",
    title="Boston, concrete, yacht: DE-GP and a deep ensemble, 2 x 100 units",
    subject="Regression and forecasts",
    metrics=("rmse_raw", "nll_raw", "noise_raw"),
    rows=tuple(Row(f"{label}, {what}", "degp_uci",
                   changes=dict(name=name, method=method))
               for label, name in (("Boston", "uci/bostonHousing"),
                                   ("concrete", "uci/concrete"),
                                   ("yacht", "uci/yacht"))
               for what, method in (("DE-GP", "degp"),
                                    ("deep ensemble", "deep_ensemble"))),
    note="Our own table; the authors publish none. The first three folds, 10 members, "
         "200 epochs, Gaussian likelihood with learnt noise, KL weight 1. Raw units.")


def run(seed=0, name="uci/yacht", method="degp", fold=None, num_members=10,
        hidden=(100, 100), epochs=200, batch_size=128, learning_rate=1e-2,
        kl_weight=1.0, weight_variance=2.0, bias_variance=1.0, num_points=64):
    """Trains one method on one fold.

    Args:
        seed: Integer.
        name: Name of the set.
        method: One of `METHODS`.
        fold: Integer; `None` is the seed, so that seeds are folds.
        num_members: Integer.
        hidden: Tuple of integers, units of the hidden layers.
        epochs: Integer.
        batch_size: Integer.
        learning_rate: Float, of Adam, at the start; it falls to 0 along a cosine.
        kl_weight: Float; see `DEGP`.
        weight_variance: Float, of the prior.
        bias_variance: Float, of the prior.
        num_points: Integer, random measurement points of a step.

    Returns:
        Dict of floats: `rmse_raw`, `nll_raw`, `noise_raw` (the learnt standard
        deviation of the noise).
    """
    if method not in METHODS:
        raise ValueError(f"Expected one of {METHODS}. Received: method={method!r}")
    options = dict(seed=seed, validation=0)
    if name.startswith("uci/"):
        options["fold"] = seed if fold is None else fold
    train, test = (data.load(name, split, **options) for split in ("train", "test"))
    scale = data.describe(name, **options).target_scale[1]
    network = MLP(train.x.shape[1:], hidden=hidden, outputs=1)
    likelihood = {"type": "gaussian", "noise_scale": 0.3, "learn_noise": True}
    common = dict(num_members=num_members, seed=seed, own_order=False)
    if method == "degp":
        model = DEGP(network, likelihood, kl_weight=kl_weight,
                     weight_variance=weight_variance, bias_variance=bias_variance,
                     num_points=num_points, **common)
    else:
        model = DeepEnsemble(network, likelihood, **common)
    steps = epochs * math.ceil(len(train.x) / batch_size)
    model.compile(keras.optimizers.Adam(
        keras.optimizers.schedules.CosineDecay(learning_rate, steps)))
    model.fit(*train, batch_size=batch_size, epochs=epochs, verbose=0)
    found = model.evaluate(*test, batch_size=256, verbose=0, return_dict=True)
    noise_scale = math.exp(float(model.likelihood.log_noise[0]))
    return {"rmse_raw": found["rmse"] * scale,
            "nll_raw": found["nll"] + math.log(scale),
            "noise_raw": noise_scale * scale}
