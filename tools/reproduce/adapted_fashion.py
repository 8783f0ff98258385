"""An over-trained network of Fashion-MNIST, adapted in a few percent of its time.

    MAP      the network of `fashion_calibration`, 30 epochs, far too sure
    adapted  `BayesAdapter` on it, one epoch: a mean field over all weights

Scores of both on the test images, and the seconds that both trainings took, in one
process, tracing and compiling among them.

Reference: Deng et al., BayesAdapter: Being Bayesian, Inexpensively and Reliably,
via Bayesian Fine-tuning, ACML 2022.
"""

import time

import keras

from bdlzoo import data
from bdlzoo.methods import BayesAdapter
from tools.reproduce import fashion_calibration


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
        log_scale: Pair of floats, between which they start.
        weight_decay: Float.
        num_samples: Integer, draws at prediction.

    Returns:
        Dict of floats: `accuracy`, `nll` and `ece` of the network with `map_` before
        them, and of the adapted one; `map_seconds` and `adapted_seconds`;
        `accuracy_change`, `ece_share` and `time_share`, of the adapted one by the
        network's.
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
