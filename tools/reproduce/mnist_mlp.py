"""A perceptron of MNIST, the published baseline for errors and outside inputs.

    784-256-256-256-10, GELU in its tanh form, inputs in [0, 1]
    loss = nll + 1e-5 * sum over hidden kernels of w**2 / 2
    Adam 1e-3, 1e-4 for the last third of 30 epochs, batches of 128

All 60,000 training images. As in the authors' notebook, columns of the kernels
start at unit length over sqrt(a + b), where `a` is the second moment of the inputs of
the layer and `b` that of the gradients of its outputs: 0.425 for GELU, 1 at both ends.
The scores of noise depend on this start. One difference: each epoch is one shuffle of
all rows, while the notebook ends each epoch with its validation rows.

`run` measures failure prediction: `right` is positive for `auroc` and
`ap_success`, `wrong` for `ap_errors`.

Reference: Hendrycks and Gimpel, A Baseline for Detecting Misclassified and
Out-of-Distribution Examples, ICLR 2017, and its released notebook.
"""

import functools
import math

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.evaluation.uncertainty_scores import judge, uncertainty_scores
from bdlzoo.methods import Deterministic
from bdlzoo.metrics import ranking
from tools.reproduce.table import Row, Table

_DECAY = 1e-5
_MOMENT = 0.425  # Of GELU of a standard normal variable, and of its slope.
_SCORES = {"": "max_probability", "_entropy": "entropy"}

TABLE = Table(
    name="mnist_mlp",
    title="Failure prediction on MNIST, 784-256-256-256-10, GELU",
    subject="Errors and outside sets",
    metrics=("error", "auroc", "ap_success", "ap_errors", "auroc_entropy",
             "ap_errors_entropy"),
    rows=(Row("maximum probability, and entropy", "mnist_mlp", dict(
        error=0.0148, auroc=0.9783, ap_success=0.9997, ap_errors=0.4388,
        auroc_entropy=0.9782, ap_errors_entropy=0.4536)),),
    note="Hendrycks and Gimpel (2017), the figures of their released notebook, one "
         "run. Correct rows are positive for AUROC and AP of successes.",
    num_seeds=5,
    headline=(("maximum probability, and entropy", "auroc"),))


def run(seed=0, name="mnist", epochs=30, hidden=(256, 256, 256), verbose=0):
    """Trains the network and ranks its test rows by their confidence.

    Args:
        seed: Integer.
        name: Name of the set of images.
        epochs: Integer.
        hidden: Tuple of integers, sizes of the hidden layers.
        verbose: See `keras.Model.fit`.

    Returns:
        Dict of floats: `error`; `auroc`, `ap_success` and `ap_errors` of the
        maximum probability, and with `_entropy` behind them of the entropy.
    """
    model = trained(seed, name, epochs, tuple(hidden), verbose)
    test = data.load(name, "test", seed=seed, validation=0)
    prediction, logits = judge(model, test.x)
    errors = prediction.label != test.y
    found = {"error": float(np.mean(errors))}
    scores = uncertainty_scores(prediction, logits, _SCORES.values())
    for suffix, score in _SCORES.items():
        sure = -scores[score]
        found[f"auroc{suffix}"] = ranking.auroc(sure, ~errors)
        found[f"ap_success{suffix}"] = ranking.ap_success(errors, sure)
        found[f"ap_errors{suffix}"] = ranking.ap_errors(errors, sure)
    return found


@functools.lru_cache(maxsize=16)
def trained(seed, name, epochs, hidden, verbose):
    """The trained model of a seed, cached: the rows of a table share it."""
    train = data.load(name, "train", seed=seed, validation=0)
    keras.utils.set_random_seed(seed)  # The weights at the start.
    model = Deterministic(network(train.x.shape[1:], hidden), seed=seed)
    steps = -(-len(train.x) // 128)
    rate = keras.optimizers.schedules.PiecewiseConstantDecay(
        [steps * (epochs * 2 // 3) - 1], [1e-3, 1e-4])
    model.compile(keras.optimizers.Adam(rate, epsilon=1e-8), jit_compile=True)
    model.fit(*train, batch_size=128, epochs=epochs, verbose=verbose)
    return model


def network(input_shape, hidden=(256, 256, 256), outputs=10):
    """The perceptron at its start."""
    moments = [1.0, *[_MOMENT] * len(hidden), 1.0]
    layers = [keras.layers.Dense(
        units, activation=_gelu, kernel_initializer=_unit_columns(a + b),
        kernel_regularizer=keras.regularizers.L2(_DECAY / 2))
        for units, a, b in zip(hidden, moments, moments[1:])]
    # The last kernel has no decay in the notebook.
    last = keras.layers.Dense(
        outputs, kernel_initializer=_unit_columns(sum(moments[-2:])))
    return keras.Sequential(
        [keras.Input(input_shape), keras.layers.Flatten(), *layers, last])


def _gelu(x):
    return keras.activations.gelu(x, approximate=True)


def _unit_columns(variance):
    normal = keras.initializers.RandomNormal(stddev=1.0)

    def initial(shape, dtype=None):
        kernel = normal(shape, dtype)
        length = keras.ops.norm(kernel, axis=0) * math.sqrt(variance)
        return kernel / length

    return initial
