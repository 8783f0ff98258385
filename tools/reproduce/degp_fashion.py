"""Ensembles on Fashion-MNIST from few images, and detection of digits.

    conv 32, pool, conv 64, pool, dense 256, dense 10; 5,000 images, 3 epochs

The same members, steps and optimiser for `DEGP` and for a deep ensemble. The
divergence counts as in the authors' code: `alpha` times that at a batch, divided
by the batch.

Reference: Deng et al., Deep Ensemble as a Gaussian Process Approximate Posterior,
2022.
"""

import math

import keras

from bdlzoo import data
from bdlzoo.evaluation.detection import out_of_distribution
from bdlzoo.evaluation.outside_sets import outside_sets
from bdlzoo.methods import DEGP, DeepEnsemble
from tools.reproduce.table import Row, Table

METHODS = ("degp", "deep_ensemble")

TABLE = Table(
    name="degp_fashion",
    title="Fashion-MNIST from 5,000 images against MNIST, 5 members, 3 epochs",
    subject="Errors and outside sets",
    metrics=("accuracy", "nll", "ece", "auroc_entropy", "auroc_mi"),
    rows=(Row("DE-GP", "degp_fashion"),
          Row("deep ensemble", "degp_fashion", changes=dict(method="deep_ensemble"))),
    note="Our own table, at the scale of two cores; the authors train 10 members for "
         "24 epochs on all images. alpha = 0.1, the divergence at a batch divided by "
         "the batch. AUROC: entropy, and mutual information, of MNIST against the test "
         "set.",
    headline=(("DE-GP", "auroc_mi"), ("deep ensemble", "auroc_mi")))


def run(seed=0, method="degp", name="fashion_mnist", outside="mnist",
        num_train=5000, num_test=10_000, num_members=5, filters=(32, 64),
        hidden=256, epochs=3, batch_size=64, learning_rate=0.1, alpha=0.1,
        num_points=16, num_samples=256, verbose=0):
    """Trains one method, scores it and detects another set.

    Args:
        seed: Integer.
        method: One of `METHODS`.
        name: Name of the set of images to train on.
        outside: Name of the set to detect; see `outside_sets`.
        num_train: Integer, images to train on.
        num_test: Integer, images to test, and of the other set.
        num_members: Integer.
        filters: Tuple of integers, of the convolutions.
        hidden: Integer, units of the dense layer.
        epochs: Integer.
        batch_size: Integer.
        learning_rate: Float, of SGD, at the start; it falls to 0 along a cosine.
        alpha: Float, weight of the divergence.
        num_points: Integer, images of noise among the measurement points.
        num_samples: Integer, draws of `DEGP` at prediction.
        verbose: As in `fit`.

    Returns:
        Dict of floats: `accuracy`, `nll`, `ece`, and of detection
        `auroc_entropy` and `auroc_mi`.
    """
    if method not in METHODS:
        raise ValueError(f"Expected one of {METHODS}. Received: method={method!r}")
    train, test = (data.load(name, split, seed=seed) for split in ("train", "test"))
    x, y = train.x[:num_train], train.y[:num_train]
    test = data.Split(test.x[:num_test], test.y[:num_test])
    common = dict(num_members=num_members, seed=seed, own_order=False)
    network = _network(x.shape[1:], filters, hidden)
    if method == "degp":
        model = DEGP(network, num_samples=num_samples, num_points=num_points,
                     box=(0.0, 1.0), kl_weight=alpha * len(x) / batch_size,
                     weight_variance=2.0, bias_variance=0.01, **common)
    else:
        model = DeepEnsemble(network, **common)
    steps = epochs * math.ceil(len(x) / batch_size)
    model.compile(keras.optimizers.SGD(
        keras.optimizers.schedules.CosineDecay(learning_rate, steps)))
    model.fit(x, y, batch_size=batch_size, epochs=epochs, verbose=verbose)
    found = model.evaluate(*test, batch_size=500, verbose=0, return_dict=True)
    sets = outside_sets([outside], test.x, seed=seed)
    scores = ("entropy", "mutual_information")
    _, _, table = out_of_distribution(model, test.x, sets, scores,
                                      num_samples=model.num_samples)
    entropy, disagreement = (table[outside][score]["auroc"] for score in scores)
    return {**{key: found[key] for key in ("accuracy", "nll", "ece")},
            "auroc_entropy": entropy, "auroc_mi": disagreement}


def _network(shape, filters, hidden):
    x = inputs = keras.Input(shape)
    for size in filters:
        x = keras.layers.Conv2D(size, 3, padding="same", activation="relu")(x)
        x = keras.layers.MaxPooling2D()(x)
    x = keras.layers.Dense(hidden, "relu")(keras.layers.Flatten()(x))
    return keras.Model(inputs, keras.layers.Dense(10)(x))
