"""Two clouds of points in the plane: confidence at the data and far away.

    10 points around (-2, -2) are class 0, 10 around (2, 2) class 1, variance 0.3

    sgd          one network 2-10-10-2, maximum likelihood
    mc_dropout   rate 1/2 behind the hidden layers
    sgld         a chain with all 20 points in a step, a sample in 20 steps
    apd          a generator (3 layers of 50 units, 100 latents, WGAN-GP) that
                 was trained on those samples

The chain has the rate 0.05 of the released code, which is 0.025 here (see
`bdlzoo.families.chain_model`), and 10,000 steps; its prior is N(0, 1) on all weights,
which the paper leaves open. The generator learns 5,000 steps at the rate 5e-4 in
place of 20,000 at 1e-4, from samples that are standardised.

Far away means on a circle of radius 6 around 0, at most 30 degrees from the line
between the classes: as far from one cloud as from the other.

Reference: Wang et al., Adversarial Distillation of Bayesian Neural Network
Posteriors, ICML 2018, and its released code.
"""

import functools
import math

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.methods import (
    SGLD,
    AdversarialPosteriorDistillation,
    Deterministic,
    MCDropout,
)
from bdlzoo.networks import MLP
from tools.reproduce.table import Row, Table

METHODS = ("sgd", "mc_dropout", "sgld", "apd")
_NAMES = ("SGD", "MC dropout", "SGLD", "APD")
_HALF = 10  # Points of a class.
_EDGE = 6.0

TABLE = Table(
    name="posterior_toy",
    title="Two clouds in the plane: confidence at the data and far away",
    subject="Toys",
    metrics=("accuracy", "confidence_near", "confidence_far", "confidence_fall",
             "information_near", "information_far"),
    rows=tuple(Row(label, "posterior_toy", changes=dict(method=method))
               for method, label in zip(METHODS, _NAMES)),
    note="Our own table; the slides show maps, ours are below.",
    headline=(("SGD", "confidence_far"), ("SGLD", "confidence_far")),
    figures=("uncertainty_maps.png",))


def run(seed=0, method="sgld", **options):
    """Confidence of one method, near the data and far away.

    Args:
        seed: Integer.
        method: One of `METHODS`.
        **options: See `trained`.

    Returns:
        Dict of floats: `accuracy` on the points; `confidence_near`, the mean at the
        points, `confidence_far`, and `confidence_fall`, their difference;
        `information_near` and `information_far`, mutual information in nats.
    """
    model = trained(seed, method, **options)
    x, y = points(seed)
    near, far = (model.predict_uncertainty(where) for where in (x, far_away()))
    found = {"accuracy": np.mean(near.label == y)}
    for place, prediction in (("near", near), ("far", far)):
        found[f"confidence_{place}"] = np.mean(prediction.confidence)
        found[f"information_{place}"] = np.mean(prediction.mutual_information)
    found["confidence_fall"] = found["confidence_near"] - found["confidence_far"]
    return {name: float(value) for name, value in found.items()}


def maps(seed=0, size=61, **options):
    """What `bdlzoo.reports.uncertainty_maps` draws: all methods on a grid.

    Args:
        seed: Integer.
        size: Integer, points of the grid along each side of [-6, 6]^2.
        **options: See `trained`.
    """
    side = np.linspace(-_EDGE, _EDGE, size, dtype="float32")
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    x, y = points(seed)

    def confidence(method):
        found = trained(seed, method, **options).predict_uncertainty(grid)
        return np.reshape(found.confidence, (size, size))

    return dict(side=side, train_x=x, train_y=y, panels={
        name: confidence(method) for name, method in zip(_NAMES, METHODS)})


def points(seed=0):
    """The training data, `[20, 2]` and `[20]`."""
    y = np.repeat([0, 1], _HALF)
    normals = noise.normal([2 * _HALF, 2], noise.key(seed, noise.ORDER)).numpy()
    return (4.0 * y[:, None] - 2.0 + math.sqrt(0.3) * normals).astype("float32"), y


def far_away():
    """Inputs `[122, 2]` far from both classes, by turns on either side."""
    turns = np.radians(np.linspace(-30, 30, 61))
    angles = np.concatenate([math.radians(135) + turns, math.radians(315) + turns])
    return (_EDGE * np.stack([np.cos(angles), np.sin(angles)], axis=1)).astype(
        "float32")


def trained(seed, method, num_steps=10_000, burn_in=2000, num_samples=200,
            gan_steps=5000, gan_rate=5e-4, width=50, latent=100, verbose=0):
    """The trained model of a seed, cached: `apd` needs that of `sgld`.

    Args:
        seed: Integer.
        method: One of `METHODS`.
        num_steps: Integer, steps of each method with all points.
        burn_in: Integer, steps of the chain before its first sample.
        num_samples: Integer, networks that predict.
        gan_steps: Integer, steps of the generator.
        gan_rate: Float, of Adam, for generator and critic.
        width: Integer, units of the layers of the generator.
        latent: Integer, length of its noise.
        verbose: See `keras.Model.fit`.

    Returns:
        Trained `PredictiveModel`.
    """
    if method not in METHODS:
        raise ValueError(f"Expected one of {METHODS}. Received: method={method!r}")
    return _trained(method, seed, num_steps, burn_in, num_samples, gan_steps,
                    gan_rate, width, latent, verbose)


@functools.lru_cache(maxsize=8)
def _trained(method, seed, num_steps, burn_in, num_samples, gan_steps, gan_rate,
             width, latent, verbose):
    """Cache of `trained`: positional arguments, since a keyword is another key."""
    if method == "apd":
        sampler = _trained("sgld", seed, num_steps, burn_in, num_samples, gan_steps,
                           gan_rate, width, latent, verbose)
        model = AdversarialPosteriorDistillation.from_sampler(
            sampler, width=width, latent=latent, num_samples=num_samples)
        model.gan.compile(*(keras.optimizers.Adam(gan_rate, beta_1=0.5, beta_2=0.9)
                            for _ in range(2)))
        model.distill(sampler.kept_samples(), gan_steps, verbose=verbose,
                      every=min(gan_steps, 1000))
        return model
    keras.utils.set_random_seed(seed)  # The weights at the start.
    network = MLP((2,), (10, 10), 2, dropout=0.5 if method == "mc_dropout" else 0.0)
    if method == "sgld":
        thinning = 20
        model = SGLD(network, seed=seed, burn_in=burn_in, thinning=thinning,
                     num_kept=(num_steps - burn_in) // thinning,
                     num_samples=num_samples, prior_scale=1.0)
        rate = 0.025
    else:
        kind = Deterministic if method == "sgd" else MCDropout
        draws = {} if method == "sgd" else {"num_samples": num_samples}
        model = kind(network, seed=seed, **draws)
        rate = 0.05
    model.compile(keras.optimizers.SGD(rate), metrics=[])
    x, y = points(seed)
    rows = tf.data.Dataset.from_tensors((x, y)).repeat()
    model.fit(rows, steps_per_epoch=num_steps, num_data=len(x), verbose=verbose)
    return model
