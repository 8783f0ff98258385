"""MNIST from 300 labels: scattering features and a Bayesian head, beside others.

The network of `configs/mnist/scattering.py`, LeNet, and one hidden layer on pixels, all
with dropout before the last layer, at prediction too. The features of scattering are
not learnt, so that few labels are enough; the head says how sure it is. All are trained
by the same steps and tested on all test images.
"""

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.methods import MCDropout
from bdlzoo.metrics import ExpectedCalibrationError, auroc
from bdlzoo.networks import MLP, LeNet, ScatteringMLP
from tools.reproduce.table import Row, Table

_NETWORKS = {"scattering": ScatteringMLP, "lenet": LeNet,
             "mlp": lambda shape, **options: MLP(shape, (256,), **options)}

TABLE = Table(
    name="few_label_scattering",
    title="MNIST from 300 labels: scattering and a head with dropout",
    subject="Few labels",
    metrics=("accuracy", "nll", "ece", "auroc_entropy", "auroc_mi", "outside_auroc"),
    rows=tuple(Row(label, "few_label_scattering", {}, dict(network=network))
               for label, network in (("scattering", "scattering"), ("LeNet", "lenet"),
                                      ("one layer of 256 units", "mlp"))),
    note="AUROC by entropy and by mutual information: wrong answers told from right "
         "ones; outside: images of Fashion-MNIST told from digits by entropy. No "
         "temperature, since labels are few.",
    headline=(("scattering", "accuracy"), ("LeNet", "accuracy")))


def run(seed=0, network="scattering", name="mnist", outside="fashion_mnist",
        num_train=300, num_outside=2000, epochs=40, batch_size=50, rate=2e-3,
        num_samples=50):
    """Trains a network on few rows and scores its answers and its doubts.

    Args:
        seed: Integer; draws the rows too.
        network: `"scattering"`, `"lenet"` or `"mlp"`.
        name: Name of a set of images.
        outside: Name of another set of images of the same shape.
        num_train: Integer, rows with labels.
        num_outside: Integer, rows of the other set.
        epochs: Integer.
        batch_size: Integer.
        rate: Float, learning rate of Adam at the start; it falls along a cosine.
        num_samples: Integer, dropout masks at prediction.

    Returns:
        Dict of floats, one for each metric of the table.
    """
    if network not in _NETWORKS:
        raise ValueError(f"Expected one of {tuple(_NETWORKS)}. Received: "
                         f"network={network!r}")
    train, test = (data.load(name, split, seed=seed, validation=0)
                   for split in ("train", "test"))
    x, y = train.x[:num_train], train.y[:num_train]
    keras.utils.set_random_seed(seed)
    model = MCDropout(
        _NETWORKS[network](x.shape[1:], outputs=int(train.y.max()) + 1, dropout=0.5),
        num_samples=num_samples, seed=seed)
    steps = epochs * -(-len(x) // batch_size)
    model.compile(keras.optimizers.Adam(
        keras.optimizers.schedules.CosineDecay(rate, steps)))
    model.fit(x, y, batch_size=batch_size, epochs=epochs, verbose=0)
    found = model.predict_uncertainty(test.x)
    far = model.predict_uncertainty(
        data.load(outside, "test", seed=seed, validation=0).x[:num_outside])
    ece = ExpectedCalibrationError()
    ece.update_state(test.y, found.probabilities)
    wrong = found.label != test.y
    near = found.predictive_entropy[:num_outside]
    return {"accuracy": float(1.0 - wrong.mean()),
            "nll": float(-np.mean(found.log_prob(test.y))), "ece": float(ece.result()),
            "auroc_entropy": float(auroc(found.predictive_entropy, wrong)),
            "auroc_mi": float(auroc(found.mutual_information, wrong)),
            "outside_auroc": float(auroc(
                [*near, *far.predictive_entropy],
                [0] * len(near) + [1] * len(far.predictive_entropy)))}
