"""Detection of the errors of a small MNIST classifier by several confidences.

    mcp          log odds of the largest probability
    mc_dropout   minus the entropy of probabilities averaged over dropout masks
    confid_net   the learnt confidence of `bdlzoo.methods.ConfidNet`
    tcp          log odds of the true class, an oracle
    tcpr         its probability over the largest, a perfect oracle

One classifier a seed, 784-1000-10 with dropout, is used by all of them and trained
once in a process. MC dropout predicts by its average and has errors of its own; the
others rank the errors of the plain network. There are about 200 errors on the test
set of MNIST: average over seeds.

Reference: Corbiere et al., Addressing Failure Prediction by Learning Model
Confidence, NeurIPS 2019.
"""

import functools

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.evaluation.failure_prediction import failure_prediction, failure_scores
from bdlzoo.methods import MCDropout
from bdlzoo.methods.confid_net import ConfidNet
from bdlzoo.networks import MLP
from tools.reproduce.table import Row, Table

SCORES = ("mcp", "mc_dropout", "confid_net", "tcp", "tcpr")
_MEAN, _SCALE = 0.1307, 0.3081  # Of the pixels of MNIST, as in the paper.

TABLE = Table(
    name="failures",
    title="Failure prediction on MNIST, 784-1000-10 with dropout",
    subject="Errors and outside sets",
    metrics=("error", "auroc", "ap_errors", "ap_success", "fpr95", "aurc"),
    rows=(Row("maximum probability", "mnist_failures", dict(
              auroc=0.9713, ap_errors=0.3770, ap_success=0.9994, fpr95=0.1487),
              dict(score="mcp")),
          Row("MC dropout", "mnist_failures", dict(
              auroc=0.9715, ap_errors=0.3822, ap_success=0.9994, fpr95=0.1515),
              dict(score="mc_dropout")),
          Row("ConfidNet", "mnist_failures", dict(
              auroc=0.9783, ap_errors=0.5737, ap_success=0.9995, fpr95=0.1179),
              dict(score="confid_net")),
          Row("true class probability (oracle)", "mnist_failures", {},
              dict(score="tcp")),
          Row("its ratio to the maximum (oracle)", "mnist_failures", {},
              dict(score="tcpr"))),
    note="Published: Corbiere et al. (2019), quoted from memory. Here the head is "
         "trained for 30 epochs by cross-entropy, there for up to 500 by the squared "
         "error. An oracle reads the labels.",
    num_seeds=5,
    headline=(("maximum probability", "ap_errors"), ("ConfidNet", "ap_errors")))


def run(seed=0, score="confid_net", **options):
    """Scores one confidence on the errors of one classifier.

    Args:
        seed: Integer.
        score: One of `SCORES`.
        **options: See `confidences`.

    Returns:
        Dict of floats: `error`, and those of `failure_prediction`, the areas
        `aurc` and `e_aurc` times 1000.
    """
    if score not in SCORES:
        raise ValueError(f"Expected one of {SCORES}. Received: score={score!r}")
    errors, confidence = confidences(seed, **options)[score]
    found = failure_prediction(errors, confidence)
    for name in ("aurc", "e_aurc"):
        found[name] *= 1000
    return {"error": float(np.mean(errors)), **found}


@functools.cache  # The rows of a table differ in the score alone.
def confidences(seed=0, name="mnist", split="test", hidden=(1000,), rate=0.3,
                epochs=10, learning_rate=0.01, head=(400, 400, 400, 400),
                loss="cross_entropy", error_weight=1.0, head_epochs=30,
                head_learning_rate=3e-4,
                tune_epochs=1, tune_learning_rate=1e-6, batch_size=128,
                num_samples=50, verbose=0):
    """Trains a classifier and its learnt confidence, and computes all scores.

    The paper has 100 epochs at a learning rate of 0.001; 10 epochs at 0.01 end at
    the same error. It trains the head for up to 500 epochs at 1e-4, by the squared
    error; in tens of epochs cross-entropy is better on validation rows.

    Args:
        seed: Integer.
        name: Name of a set of images.
        split: `"test"`, or `"validation"` to choose the other arguments by.
        hidden: Tuple of integers, hidden layers of the classifier.
        rate: Float, dropout rate behind them.
        epochs: Integer, of the classifier.
        learning_rate: Float, of SGD with momentum 0.9.
        head: Tuple of integers, hidden layers of the confidence.
        loss: String, see `ConfidNet`.
        error_weight: Float, see `ConfidNet`.
        head_epochs: Integer, of the head alone.
        head_learning_rate: Float, of Adam.
        tune_epochs: Integer, of head and cloned encoder.
        tune_learning_rate: Float, of Adam.
        batch_size: Integer.
        num_samples: Integer, masks of MC dropout.
        verbose: See `keras.Model.fit`.

    Returns:
        Dict from a score to booleans `[N]`, the errors, and floats `[N]`.
    """
    train, held, rows = (
        data.Split((part.x - _MEAN) / _SCALE, part.y) for part in (
            data.load(name, which, seed=seed, validation=0.1)
            for which in ("train", "validation", split)))
    keras.utils.set_random_seed(seed)  # The weights at the start.
    network = MLP(train.x.shape[1:], hidden, int(train.y.max()) + 1, dropout=rate)
    model = ConfidNet(network, hidden=head, loss=loss, error_weight=error_weight,
                      seed=seed)
    model.compile(keras.optimizers.SGD(learning_rate, momentum=0.9))
    model.fit(*train, batch_size=batch_size, epochs=epochs, verbose=verbose)
    model.fit_confidence(
        *train, validation_data=held, epochs=head_epochs, tune_epochs=tune_epochs,
        learning_rate=head_learning_rate, tune_learning_rate=tune_learning_rate,
        batch_size=batch_size, verbose=verbose)

    plain = model.predict_uncertainty(rows.x)
    scores = failure_scores(plain, rows.y, names=["max_probability"])
    scores["mcp"] = scores.pop("max_probability")
    scores["confid_net"] = model.confidence(rows.x)
    found = {score: (plain.label != rows.y, confidence)
             for score, confidence in scores.items()}
    mean = MCDropout(network, num_samples=num_samples,
                     seed=seed).predict_uncertainty(rows.x)
    found["mc_dropout"] = (mean.label != rows.y,
                           failure_scores(mean, names=["entropy"])["entropy"])
    return found
