"""Test error against width, past the number of weights that fits all labels.

    features   f(x) = w' relu(V x + c), V fixed and random, w of least norm among those
               of least squares: the peak is where there are as many features as rows
    ensemble   the mean of f over ten draws of V
    Bayesian   w ~ N(0, s^2 I), y = w' relu(V x + c) + noise: the posterior mean, with
               s and the noise by the evidence
    network    V is trained too, by Adam on squares until they are small

Labels of ten classes are vectors of 0 and 1, of which a share is wrong. The mean over
a posterior, or over draws, is a shrunken solution: the question is whether the peak
goes away.

Reference: Belkin, Hsu, Ma and Mandal, Reconciling Modern Machine-learning Practice and
the Classical Bias-variance Trade-off, PNAS 2019; MacKay, Bayesian Interpolation,
Neural Computation 1992 (evidence).
"""

import functools

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.core import noise
from bdlzoo.methods import DeepEnsemble, Deterministic
from bdlzoo.networks import MLP
from tools.reproduce.capacity import corrupted, sized
from tools.reproduce.table import Row, Table

WIDTHS = (20, 60, 120, 200, 260, 300, 340, 400, 520, 800, 1500, 3000)
NETWORK_WIDTHS = (1, 2, 4, 8, 20, 60)
_COPIES = 50
MODELS = ("least_norm", "ensemble", "bayesian", "network", "network_ensemble")

TABLE = Table(
    name="double_descent",
    title="Double descent over width, 300 images of MNIST, a tenth of the labels wrong",
    subject="Bounds and complexity",
    metrics=("peak_error", "peak_width", "widest_error", "peak_ratio"),
    rows=tuple(Row(label, "double_descent", {}, dict(model=model)) for label, model in (
        ("random features, least norm", "least_norm"),
        ("random features, mean of 10", "ensemble"),
        ("random features, Bayesian", "bayesian"),
        ("two layers", "network"), ("two layers, mean of 5", "network_ensemble"))),
    note="Images of 14 x 14 pixels. The interpolation threshold of the features is a"
         " width of 300, the number of images. The ratio is the peak, from half the "
         "threshold to twice of it, by the error of the widest model.",
    num_seeds=3,
    headline=(("random features, least norm", "peak_ratio"),
              ("random features, Bayesian", "peak_ratio")),
    figures=("double_descent.png",))


def run(seed=0, model="least_norm", name="mnist", num_train=300, num_test=2000,
        wrong=0.1, side=14, widths=None, num_steps=2000):
    """Measures test errors over widths.

    Args:
        seed: Integer.
        model: One of `MODELS`.
        name: Name of a set of images.
        num_train: Integer, training images, at which the peak is.
        num_test: Integer, test images.
        wrong: Float, share of the training labels that are drawn uniformly.
        side: Integer, pixels to which images are shrunk; `None` for none.
        widths: Tuple of integers; `None` takes `WIDTHS` or `NETWORK_WIDTHS`.
        num_steps: Integer, steps of Adam of a network.

    Returns:
        Dict of floats: `peak_error`, `peak_width`, `widest_error`, `peak_ratio`, and
        `error_WIDTH` for each width.
    """
    if model not in MODELS:
        raise ValueError(f"Expected one of {MODELS}. Received: model={model!r}")
    trained = model.startswith("network")
    widths = widths or (NETWORK_WIDTHS if trained else WIDTHS)
    x, y, x_test, y_test = _rows(name, seed, num_train, num_test, wrong, side)
    if trained:
        errors = [_network_error(width, model, seed, x, y, x_test, y_test, num_steps)
                  for width in widths]
    else:
        errors = [_feature_error(width, model, seed, x, y, x_test, y_test)
                  for width in widths]
    # A network has ten outputs, and as many equations for a row.
    threshold = num_train * 10 / (x.shape[1] + 11) if trained else num_train
    near = [place for place, width in enumerate(widths)
            if threshold / 2 <= width <= 2 * threshold]
    peak = max(near, key=errors.__getitem__)
    return {"peak_error": errors[peak], "peak_width": float(widths[peak]),
            "widest_error": errors[-1], "peak_ratio": errors[peak] / errors[-1],
            **{f"error_{width}": error for width, error in zip(widths, errors)}}


@functools.cache
def _rows(name, seed, num_train, num_test, wrong, side):
    train, test = (data.load(name, split, seed=seed, validation=0)
                   for split in ("train", "test"))
    x, x_test = (sized(part, side).reshape(len(part), -1).astype("float64")
                 for part in (train.x[:num_train], test.x[:num_test]))
    mean = x.mean(axis=0)
    scale = np.linalg.norm(x - mean, axis=1).mean()
    labels = corrupted(train.y[:num_train], wrong, 10, noise.key(seed, noise.ORDER, 30))
    return (x - mean) / scale, labels, (x_test - mean) / scale, test.y[:num_test]


def _features(width, seed, *inputs):
    generator = np.random.default_rng([seed, width])
    directions = generator.normal(size=(inputs[0].shape[1], width))
    shifts = 0.3 * generator.normal(size=width)
    return [np.maximum(x @ directions + shifts, 0.0) / np.sqrt(width) for x in inputs]


def _feature_error(width, model, seed, x, y, x_test, y_test):
    targets = np.eye(10)[y] - 0.1
    solve = evidence_solution if model == "bayesian" else least_norm
    outputs = 0.0
    for draw in range(10 if model == "ensemble" else 1):
        train, test = _features(width, 1000 * seed + draw, x, x_test)
        outputs = outputs + test @ solve(train, targets)
    return float(np.mean(np.argmax(outputs, axis=1) != y_test))


def least_norm(features, targets):
    """Weights `[W, C]` of least squares, of least norm among these."""
    return np.linalg.lstsq(features, targets, rcond=None)[0]


def evidence_solution(features, targets, num_steps=100):
    """Posterior mean `[W, C]`, with prior and noise that maximise the evidence."""
    u, s, vt = np.linalg.svd(features, full_matrices=False)
    hidden, outputs = u.T @ targets, targets.shape[1]
    rest = np.sum(targets**2) - np.sum(hidden**2)
    precision, variance = 1.0, 0.1  # Of a weight, and the variance of a target.
    for _ in range(num_steps):
        # MacKay's fixed point; `known` counts the weights that data decide.
        shrunk = s**2 / (s**2 + variance * precision)
        known = outputs * np.sum(shrunk)
        mean = (shrunk / s)[:, None] * hidden
        misfit = rest + np.sum(((1 - shrunk)[:, None] * hidden) ** 2)
        precision = known / max(np.sum(mean**2), 1e-12)
        variance = misfit / max(targets.size - known, 1e-6)
    return vt.T @ mean


def _network_error(width, model, seed, x, y, x_test, y_test, num_steps):
    keras.utils.set_random_seed(seed)
    network = MLP(x.shape[1:], (width,), 10)
    kind, options = (Deterministic, {}) if model == "network" else (
        DeepEnsemble, dict(num_members=5))
    trained = kind(network, "gaussian", seed=seed, **options)
    trained.compile(keras.optimizers.Adam(
        keras.optimizers.schedules.CosineDecay(0.01, num_steps)))
    targets = np.eye(10, dtype="float32")[y] - 0.1
    # Each batch is all rows; copies make epochs of many steps.
    copies = [np.tile(part.astype("float32"), (_COPIES, 1)) for part in (x, targets)]
    trained.fit(*copies, batch_size=len(x), epochs=-(-num_steps // _COPIES),
                shuffle=False, verbose=0)
    outputs = trained.predict(x_test.astype("float32"), verbose=0)
    return float(np.mean(np.argmax(outputs, axis=1) != y_test))
