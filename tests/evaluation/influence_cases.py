"""A logistic regression at its minimum, its closed forms, and a small dropout network.

    H = mean_i a_i a_i' x (diag(p_i) - p_i p_i') + 2 l2 I,       a_i = (x_i, 1)
    g_i = a_i x (p_i - one-hot(y_i)) + 2 l2 w
"""

import functools

import keras
import numpy as np

from bdlzoo.evaluation import refit
from bdlzoo.methods import MCDropout

L2 = 0.02
ROWS, TESTS, CLASSES = 40, 3, 3


def data():
    """Training rows and test rows of three noisy clouds."""
    generator = np.random.default_rng(0)
    y = np.arange(ROWS + TESTS) % CLASSES
    x = generator.normal(size=(ROWS + TESTS, 4)) + 1.5 * np.eye(4)[y]
    x, y = x.astype("float32"), y.astype("int32")
    return (x[:ROWS], y[:ROWS]), (x[ROWS:], y[ROWS:])


@functools.cache
def logistic():
    """A plain Keras model of logits at its minimum."""
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(
        CLASSES, kernel_regularizer=keras.regularizers.L2(L2),
        bias_regularizer=keras.regularizers.L2(L2))])
    refit(model, data()[0], likelihood="categorical")
    return model


@functools.cache
def dropout(activation="relu"):
    """A network with dropout before its last layer, which is at its minimum."""
    keras.utils.set_random_seed(0)
    network = keras.Sequential([
        keras.Input((4,)), keras.layers.Dense(8, activation=activation),
        keras.layers.Dropout(0.3), keras.layers.Dense(CLASSES)])
    model = MCDropout(network, prior_scale=1.0, num_samples=4, num_data=ROWS, seed=0)
    refit(model, data()[0], num_samples=4)
    return model


def gradients(x, y):
    """Gradients `[B, P]` of the losses of the logistic regression, without L2."""
    inputs = np.concatenate([x, np.ones_like(x[:, :1])], axis=1).astype("float64")
    errors = _probabilities(inputs) - np.eye(CLASSES)[y]
    return np.einsum("bf,bc->bfc", inputs, errors).reshape(len(x), -1)


def hessian(x):
    """Matrix `[P, P]`, with L2."""
    inputs = np.concatenate([x, np.ones_like(x[:, :1])], axis=1).astype("float64")
    p = _probabilities(inputs)
    bends = np.einsum("bc,cd->bcd", p, np.eye(CLASSES)) - np.einsum("bc,bd->bcd", p, p)
    size = inputs.shape[1] * CLASSES
    return np.einsum("bf,bcd,bg->fcgd", inputs, bends, inputs).reshape(
        size, size) / len(x) + 2 * L2 * np.eye(size)


def weights():
    """Weights `[P]` of the logistic regression."""
    return np.concatenate([np.ravel(w) for w in logistic().get_weights()])


def removal():
    """Effects `[N, T]` in closed form."""
    (x, y), (x_test, y_test) = data()
    rows = gradients(x, y) + 2 * L2 * weights()
    return rows @ np.linalg.solve(hessian(x), gradients(x_test, y_test).T) / len(x)


def left_out():
    """Effects `[N, T]` of leaving rows out with their curvature, in closed form."""
    (x, y), (x_test, y_test) = data()
    rows = gradients(x, y) + 2 * L2 * weights()
    whole, slopes = hessian(x), gradients(x_test, y_test)
    # `hessian` of one row has its share of L2.
    return np.stack([slopes @ np.linalg.solve(whole - hessian(x[i:i + 1]) / len(x), g)
                     for i, g in enumerate(rows)]) / len(x)


def _probabilities(inputs):
    kernel, bias = logistic().get_weights()
    logits = inputs @ np.concatenate([kernel, bias[None]]).astype("float64")
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)
