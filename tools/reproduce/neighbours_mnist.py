"""Posteriors that other libraries are known for, on MNIST with LeNet.

    deterministic    the trained network
    laplace          one pass of the data around that network, last layer or all layers
    swag             weights that the second half of the training visits
    vbll             a Gaussian last layer, trained along with the rest

One network a seed is trained with the weight decay of LeNet in Caffe, and serves the
first line and all of Laplace. The others are trained as long, from the same initial
weights, in the same order of the data. KMNIST is told from MNIST by the entropy of the
averaged prediction.
"""

import functools

import keras

from bdlzoo import data
from bdlzoo.evaluation.detection import out_of_distribution
from bdlzoo.evaluation.outside_sets import outside_sets
from bdlzoo.methods import SWAG, VBLL, Deterministic, Laplace
from bdlzoo.networks import LeNet, SmallCNN
from tools.reproduce.table import Row, Table

METHODS = ("deterministic", "laplace", "swag", "vbll")
_DECAY = 5e-4
_BATCH = 64

TABLE = Table(
    name="neighbours_mnist",
    title="MNIST, LeNet 20-50-500: Laplace, SWAG and VBLL, 6 epochs",
    subject="Posteriors of weights",
    metrics=("accuracy", "nll", "ece", "auroc"),
    rows=(Row("deterministic", "neighbours_mnist"),
          *(Row(f"Laplace, last layer, {structure}", "neighbours_mnist",
                changes=dict(method="laplace", structure=structure))
            for structure in ("full", "kronecker", "diagonal")),
          Row("Laplace, last layer, kronecker, samples", "neighbours_mnist",
              changes=dict(method="laplace", predictive="samples")),
          Row("SWA", "neighbours_mnist", changes=dict(method="swag", scale=0.0)),
          Row("SWAG", "neighbours_mnist", changes=dict(method="swag")),
          Row("VBLL", "neighbours_mnist", changes=dict(method="vbll"))),
    note="Our own table. AUROC is that of telling KMNIST from MNIST by the predictive "
         "entropy. The scale of Laplace's prior has the largest marginal likelihood.",
    headline=(("deterministic", "nll"), ("Laplace, last layer, kronecker", "nll")))


def run(seed=0, method="deterministic", structure="kronecker", predictive="probit",
        scale=1.0, name="mnist", outside="kmnist", epochs=6, num_samples=30):
    """Trains one method, and scores it.

    Args:
        seed: Integer.
        method: One of `METHODS`.
        structure: Structure of the curvature of Laplace.
        predictive: Averaged prediction of Laplace.
        scale: Float, scale of the draws of SWAG.
        name: Name of the set of images to train on.
        outside: Name of the set to detect; see `outside_sets`.
        epochs: Integer.
        num_samples: Integer, draws at prediction.

    Returns:
        Dict of floats: `accuracy`, `nll`, `ece`, and `auroc` of the outside set.
    """
    if method not in METHODS:
        raise ValueError(f"Expected one of {METHODS}. Received: method={method!r}")
    train, test = (data.load(name, split, seed=seed) for split in ("train", "test"))
    if method in ("deterministic", "laplace"):
        model = _trained(seed, name, epochs)
    if method == "laplace":
        model = Laplace(model.network, structure=structure, predictive=predictive,
                        num_samples=num_samples, seed=seed)
        model.fit(*train, verbose=0)
    elif method == "swag":
        steps = -(-len(train.x) // _BATCH)
        model = _fitted(SWAG(
            _network(train, seed), burn_in=steps * epochs // 2,
            thinning=max(1, steps * epochs // 80), scale=scale,
            prior_scale=_prior_scale(train), num_samples=num_samples, seed=seed),
            train, epochs)
    elif method == "vbll":
        model = _fitted(VBLL(_network(train, seed), num_samples=num_samples, seed=seed),
                        train, epochs)
    scores = model.evaluate(*test, verbose=0, return_dict=True)
    sets = outside_sets([outside], test.x, seed=seed)
    _, _, table = out_of_distribution(model, test.x, sets, ["entropy"])
    return {**{name: float(scores[name]) for name in ("accuracy", "nll", "ece")},
            "auroc": table[outside]["entropy"]["auroc"]}


@functools.lru_cache(maxsize=16)
def _trained(seed, name, epochs):
    train = data.load(name, "train", seed=seed)
    return _fitted(Deterministic(_network(train, seed), seed=seed,
                                 prior_scale=_prior_scale(train)), train, epochs)


def _prior_scale(train):
    # w**2 / (2 scale**2 num_data) = decay / 2 * w**2: the decay is a prior.
    return (_DECAY * len(train.x))**-0.5


def _network(train, seed):
    """LeNet, or a smaller network if images are too small for it."""
    keras.utils.set_random_seed(seed)  # The weights at the start.
    shape = train.x.shape[1:]
    return (LeNet if min(shape[:2]) >= 16 else SmallCNN)(shape, outputs=10)


def _fitted(model, train, epochs):
    model.compile(keras.optimizers.SGD(0.01, momentum=0.9))
    model.fit(*train, batch_size=_BATCH, epochs=epochs, verbose=0)
    return model
