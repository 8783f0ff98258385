"""An over-trained network of Fashion-MNIST, before and after `BayesAdapter`.

    MAP      the network of `fashion_calibration`, 30 epochs, overconfident
    adapted  `BayesAdapter` on it, one epoch: a mean field over all weights

Scores of both on the test images, and the seconds of both trainings in one process,
tracing and compiling included.

Reference: Deng et al., BayesAdapter: Being Bayesian, Inexpensively and Reliably,
via Bayesian Fine-tuning, ACML 2022.
"""

import time

import keras

from bdlzoo import data
from bdlzoo.methods import BayesAdapter
from tools.reproduce import fashion_calibration
from tools.reproduce.table import Row, Table

TABLE = Table(
    name="adapted_fashion",
    title="An over-trained network of Fashion-MNIST, adapted",
    subject="Accuracy and calibration",
    metrics=("map_accuracy", "accuracy", "accuracy_change", "map_nll", "nll",
             "map_ece", "ece", "ece_share", "map_seconds", "time_share"),
    rows=(Row("BayesAdapter, a mean field, one epoch", "adapted_fashion"),),
    note="Our own table. The network of [calibration](calibration.md), and the same "
         "after one epoch of `BayesAdapter`, exemplar, 32 draws. The rate of the "
         "log-scales was chosen among two by the likelihood of the held-out rows of "
         "seed 0. Both trainings are timed in one process, tracing included.",
    headline=(("BayesAdapter, a mean field, one epoch", "ece"),))


def run(seed=0, name="fashion_mnist", held_out=10_000, epochs=30, kernel_size=4,
        hidden=200, adapted_epochs=1, batch_size=128, learning_rate=1e-3,
        scale_learning_rate=10.0, log_scale=(-3.5, -3.0), weight_decay=1e-4,
        num_samples=32):
    """Trains a network, adapts it and scores both.

    Args:
        seed: Integer.
        name: Name of the set of images.
        held_out: Integer, training rows left out, as `fashion_calibration` does.
        epochs: Integer, of the network.
        kernel_size: Integer, sides of its filters.
        hidden: Integer, units of its dense layer.
        adapted_epochs: Integer, of the adaptation.
        batch_size: Integer.
        learning_rate: Float, of SGD on the means.
        scale_learning_rate: Float, of SGD on the log-scales.
        log_scale: Pair of floats, between which log-scales start.
        weight_decay: Float.
        num_samples: Integer, draws at prediction.

    Returns:
        Dict of floats: `accuracy`, `nll` and `ece` of the network with `map_` before
        them, and of the adapted one; `map_seconds` and `adapted_seconds`;
        `accuracy_change`, the difference of the accuracies; `ece_share` and
        `time_share`, figures of the adapted one divided by those of the network.
    """
    train, test = (data.load(name, split, seed=seed, validation=held_out)
                   for split in ("train", "test"))
    begin = time.perf_counter()
    plain = fashion_calibration.trained(train, epochs, kernel_size, hidden, seed)
    middle = time.perf_counter()
    model = BayesAdapter(plain.network, weight_decay=weight_decay, seed=seed,
                         log_scale=log_scale, num_samples=num_samples)
    model.compile(*(keras.optimizers.SGD(rate, momentum=0.9, nesterov=True)
                    for rate in (learning_rate, scale_learning_rate)))
    model.fit(*train, batch_size=batch_size, epochs=adapted_epochs, verbose=0)
    end = time.perf_counter()
    scores = {**_scores(plain, test, "map_"), **_scores(model, test),
              "map_seconds": middle - begin, "adapted_seconds": end - middle}
    return {**scores,
            "accuracy_change": scores["accuracy"] - scores["map_accuracy"],
            "ece_share": scores["ece"] / scores["map_ece"],
            "time_share": scores["adapted_seconds"] / scores["map_seconds"]}


def _scores(model, test, prefix=""):
    found = model.evaluate(*test, batch_size=512, verbose=0, return_dict=True)
    return {f"{prefix}{key}": float(found[key]) for key in ("accuracy", "nll", "ece")}
