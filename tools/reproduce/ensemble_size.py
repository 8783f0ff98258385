"""Scores of a deep ensemble over the number of its members.

    accuracy, nll, ece of the first 1, 2, ..., M members together

LeNet-5 of the uncertainty baselines, trained for fewer steps than theirs. The
value for k members is that of the first k; the mean over single members is given
beside it, so that one sees whether the first is better than the others.

Reference: Lakshminarayanan et al., Simple and Scalable Predictive Uncertainty
Estimation using Deep Ensembles, NeurIPS 2017.
"""

import keras
import numpy as np

from bdlzoo import data, networks
from bdlzoo.methods import DeepEnsemble
from bdlzoo.metrics import ExpectedCalibrationError
from tools.reproduce.table import Row, Table

TABLE = Table(
    name="ensemble",
    title="LeNet-5 of the uncertainty baselines, deep ensemble of ten",
    subject="Accuracy and calibration",
    metrics=("accuracy", "nll", "ece", "nll_member"),
    rows=(Row("MNIST", "ensemble_size",
              dict(accuracy=0.994, nll=0.016), dict(name="mnist")),
          Row("Fashion-MNIST", "ensemble_size",
              dict(accuracy=0.932, nll=0.200), dict(name="fashion_mnist"))),
    note="Published: the uncertainty baselines, 5,000 steps a member; ours have 2,000. "
         "The picture shows the NLL over the number of members.",
    num_seeds=1,
    headline=(("MNIST", "nll"), ("Fashion-MNIST", "nll")),
    figures=("member_curves.png",))


def run(seed=0, name="mnist", num_members=10, steps=2000, batch_size=256,
        learning_rate=3e-3, network="LeNet5", limit=None, verbose=0):
    """Trains one ensemble and scores its first members.

    Args:
        seed: Integer.
        name: Name of a set of images.
        num_members: Integer.
        steps: Integer, of each member.
        batch_size: Integer.
        learning_rate: Float, where the cosine of Adam starts.
        network: String, a network of the zoo.
        limit: Integer, training rows to use; `None` is all.
        verbose: As in Keras.

    Returns:
        Dict of floats `accuracy`, `nll`, `ece`, those of all members, the same
        with `_1`, ..., `_M` of the first ones, and `nll_member`, the mean of the
        members alone.
    """
    x, y = (part[:limit] for part in data.load(name, "train"))
    keras.utils.set_random_seed(seed)
    model = DeepEnsemble(getattr(networks, network)(x.shape[1:]), "categorical",
                         num_members=num_members, seed=seed)
    decay = keras.optimizers.schedules.CosineDecay(learning_rate, steps)
    model.compile(keras.optimizers.Adam(decay), metrics=[])
    per_epoch = -(-len(x) // batch_size)
    # Whole epochs, as many as hold the steps: the cosine ends at zero before.
    model.fit(x, y, batch_size=batch_size, epochs=-(-steps // per_epoch),
              verbose=verbose)
    x, y = data.load(name, "test")
    draws = np.asarray(model.sample_outputs(x))  # [M, B, C]
    scores = {}
    for count in range(1, num_members + 1):
        for metric, value in _scores(model, draws[:count], y).items():
            scores[f"{metric}_{count}"] = value
    alone = [_scores(model, draws[m:m + 1], y)["nll"] for m in range(num_members)]
    last = {metric: scores[f"{metric}_{num_members}"]
            for metric in ("accuracy", "nll", "ece")}
    return {**last, "nll_member": float(np.mean(alone)), **scores}


def _scores(model, draws, y):
    prediction = model.likelihood.prediction(draws)
    ece = ExpectedCalibrationError()
    ece.update_state(y, prediction.mean)
    return {"accuracy": float(np.mean(prediction.label == y)),
            "nll": float(-np.mean(prediction.log_prob(y))),
            "ece": float(ece.result())}
