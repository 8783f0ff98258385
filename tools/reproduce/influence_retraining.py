"""Influence functions against 50 retrainings, each without one row.

    r = correlation over left-out rows of predicted and actual changes,
        the mean over test rows, or over all rows at once

A logistic regression on pixels, the last layers of a small CNN, and the last layer of
the CNN with dropout before it, all on MNIST and trained to the minimum of their
objectives. The rows that are left out are those with the largest predicted effects on
some test row, and random ones, in equal parts. The quantity is the loss of a test row,
or an uncertainty of its answer.

Reference: Koh and Liang, Understanding Black-box Predictions via Influence Functions,
ICML 2017.
"""

import functools

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.evaluation import influence, leave_one_out, refit
from bdlzoo.methods import MCDropout
from tools.reproduce.capacity import sized
from tools.reproduce.table import Row, Table

_DRAWS = 8
_METRICS = ("correlation", "correlation_all", "slope", "slope_left_out", "residual")

TABLE = Table(
    name="influence",
    title="Influence of a training row, predicted and by retraining, MNIST",
    subject="Errors and outside sets",
    metrics=_METRICS,
    rows=tuple(
        Row(label, "influence_retraining", published, changes)
        for label, published, changes in (
            ("logistic regression, exact", {}, dict()),
            ("logistic regression, CG", {}, dict(solver="cg")),
            ("logistic regression, LiSSA", {}, dict(solver="lissa")),
            ("CNN, last layer", {}, dict(network="cnn")),
            ("CNN, last two layers", dict(correlation=0.86),
             dict(network="cnn", layers=2, solver="cg")),
            ("dropout, last layer, loss", {}, dict(network="dropout")),
            ("dropout, last layer, mutual information", {},
             dict(network="dropout", of="mutual_information")),
            ("dropout, last layer, variance", {},
             dict(network="dropout", of="variance")))),
    note="Published: Koh and Liang (2017), all weights of a CNN, quoted from memory."
         " 600 training rows of 14 x 14 pixels, 10 test rows, 50 retrainings; the "
         "correlation is the mean over test rows, or over all at once, as most test "
         "rows of a CNN hardly change. The slope is that of actual on predicted "
         "changes. It is above 1 because the curvature of a row leaves with it, which "
         "influence functions neglect; beside it is the slope with `left_out`, which "
         "does not. The residual is that of the solver.",
    num_seeds=1,
    headline=(("logistic regression, exact", "correlation"),
              ("logistic regression, CG", "correlation")),
    incomparable="the published value is for all weights and other data")


def run(seed=0, network="logistic", layers=1, solver="exact", of="loss",
        num_train=600, num_test=10, num_retrained=50, name="mnist", side=14,
        epochs=15, max_steps=None):
    """Compares predictions with retraining.

    Args:
        seed: Integer.
        network: `"logistic"`, `"cnn"` or `"dropout"`.
        layers: Integer, the last so many layers.
        solver: `"exact"`, `"cg"` or `"lissa"`.
        of: Quantity of a test row.
        num_train: Integer, training rows.
        num_test: Integer, test rows, the first of them.
        num_retrained: Integer, rows that are left out.
        name: Name of a set of images.
        side: Integer, pixels to which images are shrunk; `None` for none.
        epochs: Integer, of the CNN, before its last layers are brought to a minimum.
        max_steps: Integer, steps of the solver; `None` takes its own.

    Returns:
        Dict of floats: `correlation`, `correlation_all` (of all rows and test rows at
        once), `slope`, `slope_left_out`, `residual`, `gradient` (largest after a
        retraining, relative to that of the row) and `rank_correlation`.
    """
    shared = (seed, network, layers, of, num_train, num_test, num_retrained, name,
              side, epochs)
    rows, checked, found = retrained(*shared)
    predicted, actual = checked.predicted, checked.actual
    if solver != found.inverse.solver:
        train, test = _rows(name, seed, num_train, num_test, side)
        model = _model(network, layers, name, seed, num_train, side, epochs)
        found = influence(model, train, test, layers, solver, of,
                          likelihood=_likelihood(network), num_samples=_DRAWS,
                          max_steps=max_steps)
        predicted = found.removal[rows]
    ranks = [np.argsort(np.argsort(part, axis=0), axis=0)
             for part in (predicted, actual)]
    exactly = found.left_out(rows)
    return {"correlation": _correlation(predicted, actual),
            "correlation_all": _correlation(predicted.reshape(-1, 1),
                                            actual.reshape(-1, 1)),
            "slope_left_out": _slope(exactly, actual),
            "rank_correlation": _correlation(*ranks),
            "slope": _slope(predicted, actual),
            "residual": float(found.residuals.max()), "gradient": checked.gradient}


@functools.cache  # Solvers are compared with the same retrainings.
def retrained(seed, network, layers, of, num_train, num_test, num_retrained, name,
              side, epochs):
    """Rows, actual changes, and the influence that the rows were chosen by."""
    train, test = _rows(name, seed, num_train, num_test, side)
    model = _model(network, layers, name, seed, num_train, side, epochs)
    found = influence(model, train, test, layers, "exact" if layers == 1 else "cg", of,
                      likelihood=_likelihood(network), num_samples=_DRAWS)
    rows = _chosen(found, num_retrained, seed)
    return rows, leave_one_out(found, test, rows), found


def _chosen(found, count, seed):
    order = np.argsort(-np.abs(found.removal).max(axis=1), kind="stable")
    half = count // 2
    others = np.random.default_rng(seed).permutation(order[half:])
    return np.sort(np.concatenate([order[:half], others[:count - half]]))


def _likelihood(network):
    return None if network == "dropout" else "categorical"


@functools.cache
def _rows(name, seed, num_train, num_test, side):
    train, test = (data.load(name, split, seed=seed, validation=0)
                   for split in ("train", "test"))
    return (sized(train.x[:num_train], side), train.y[:num_train]), (
        sized(test.x[:num_test], side), test.y[:num_test])


@functools.cache
def _model(network, layers, name, seed, num_train, side, epochs):
    (x, y), _ = _rows(name, seed, num_train, 1, side)
    keras.utils.set_random_seed(seed)
    if network == "logistic":
        model = keras.Sequential([keras.Input(x.shape[1:]), keras.layers.Flatten(),
                                  _dense(10)])
    else:
        model = keras.Sequential([
            keras.Input(x.shape[1:]),
            keras.layers.Conv2D(8, 5, strides=2, activation="relu"),
            keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
            keras.layers.Flatten(), _dense(16, "softplus"),
            *[keras.layers.Dropout(0.3)] * (network == "dropout"), _dense(10)])
    if network == "dropout":
        model = MCDropout(model, seed=seed)
        model.compile("adam")
    else:
        model.compile("adam", keras.losses.SparseCategoricalCrossentropy(
            from_logits=True))
    if network != "logistic":
        model.fit(x, y, epochs=epochs, batch_size=50, verbose=0)
    refit(model, (x, y), layers, likelihood=_likelihood(network), num_samples=_DRAWS)
    return model


def _dense(units, activation=None):
    l2 = dict(kernel_regularizer=keras.regularizers.L2(5e-3),
              bias_regularizer=keras.regularizers.L2(5e-3))
    return keras.layers.Dense(units, activation, **l2)


def _correlation(first, second):
    return float(np.mean([np.corrcoef(a, b)[0, 1] for a, b in zip(first.T, second.T)]))


def _slope(predicted, actual):
    return float(np.sum(predicted * actual) / np.sum(predicted**2))
