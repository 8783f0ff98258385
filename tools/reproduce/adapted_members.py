"""Copies of the last block of a network of MNIST, and their disagreement.

    disagreement = mean over images of the mutual information of the members

The network is the convolutional one of `adapted_detection`; its dense layers become
a mixture. All members start with the same weights; they differ later because each
sees other rows.

Reference: Deng et al., LiBRe: A Practical Bayesian Approach to Adversarial
Detection, CVPR 2021.
"""

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.evaluation.detection import detection
from bdlzoo.evaluation.outside_sets import outside_sets
from tools.reproduce.adapted_detection import adapted
from tools.reproduce.table import Row, Table

TABLE = Table(
    name="adapted_members",
    title="Twenty copies of the last block of a network of MNIST",
    subject="Errors and outside sets",
    metrics=("accuracy", "nll", "disagreement", "disagreement_outside", "ratio",
             "auroc"),
    rows=tuple(Row(label, "adapted_members", changes=dict(posterior=posterior))
               for label, posterior in (
                   ("mixture of deltas", "mixture_of_deltas"),
                   ("mixture of Gaussians", "mixture_of_gaussians"))),
    note="Our own table. Mean mutual information of the members on the test images "
         "and on KMNIST, in nats, and how many times larger it is there.",
    headline=(("mixture of deltas", "auroc"),))


def run(seed=0, posterior="mixture_of_deltas", num_members=20, name="mnist",
        network="convolutional", outside="kmnist", count=10_000, learning_rate=0.02,
        scale_learning_rate=10.0, **options):
    """Adapts the network and measures the disagreement of its members.

    Args:
        seed: Integer.
        posterior: See `BayesAdapter`, a mixture.
        num_members: Integer.
        name: Name of the set of images to train on.
        network: See `adapted_detection.trained`.
        outside: Name of another set of images.
        count: Integer, test images, and of the other set.
        learning_rate: Float, of SGD on the members, each of which sees few rows a step.
        scale_learning_rate: Float, of SGD on the log-scales of Gaussians.
        **options: See `adapted_detection.adapted`.

    Returns:
        Dict of floats: `accuracy`, `nll`, `disagreement` on the test images,
        `disagreement_outside`, their `ratio`, and the `auroc` of telling them apart.
    """
    optimizers = [keras.optimizers.SGD(rate, momentum=0.9, nesterov=True)
                  for rate in (learning_rate, scale_learning_rate)]
    model = adapted(seed, network, name, optimizers=optimizers, posterior=posterior,
                    num_members=num_members, **options)
    test = data.load(name, "test", seed=seed)
    x, y = test.x[:count], test.y[:count]
    inside = model.predict_uncertainty(x)
    strange = model.predict_uncertainty(
        outside_sets([outside], x, seed=seed)[outside])
    near, far = (np.asarray(each.mutual_information) for each in (inside, strange))
    return {"accuracy": float(np.mean(inside.label == y)),
            "nll": float(-np.mean(inside.log_prob(y))),
            "disagreement": float(near.mean()),
            "disagreement_outside": float(far.mean()),
            "ratio": float(far.mean() / near.mean()),
            "auroc": detection(near, far)["auroc"]}
