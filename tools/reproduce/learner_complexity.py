"""Gradient-flow complexity of a learner: its architecture and prior, no training.

    A    = E_w exp(lam**2 / m * g(w)),                        w ~ prior
    g(w) = mean over (x, y) of ||grad_x log p(y | x, w)||**2 * J(x, y, w)
    J    = integral over a in [0, 1] of exp(a log p(y | x, w)) / M_a(x, y)
    M_a  = E_w' exp(a log p(y | x, w')),                      w' ~ prior

A bounds E exp(lam * gap), gap being that between risk and empirical risk, in
the PAC-Bayes bound (log A + KL) / lam. Here lam = sqrt(m), m the number of
training rows, so that lam**2 / m = 1 and m drops out. The same prior networks
estimate A and M_a; the integral has nine Gauss-Legendre points.

Input gradients of a random network shrink with depth where its weights are
small: one layer (a linear model) has the largest A, deep networks reach 1. By how
much depends on width and prior scale, which are the same for all depths. The
defaults were chosen to bring depths 1 and 2 on MNIST near published values (66.2
and 1.48), so that only the other depths are evidence; for CIFAR-10 take 0.054.
"""

import numpy as np
import tensorflow as tf
from scipy import special

from bdlzoo import data
from bdlzoo.core import noise
from bdlzoo.networks import MLP
from bdlzoo.surgery import conversion
from tools.reproduce.table import Row, Table

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(9)
_NODES, _WEIGHTS = 0.5 * (_NODES + 1.0), 0.5 * _WEIGHTS  # From [-1, 1] to [0, 1].

TABLE = Table(
    name="learner_complexity",
    title="Gradient-flow learner complexity A, lambda = sqrt(m)",
    subject="Bounds and complexity",
    metrics=("complexity",),
    rows=tuple(
        Row(f"{label}, {'linear' if depth == 1 else f'{depth} layers'}",
            "learner_complexity", dict(complexity=value),
            dict(name=name, depth=depth, prior_scale=scale))
        for label, name, scale, values in (
            ("MNIST", "mnist", 0.077, (66.23, 1.48, 1.02, 1.00, 1.00)),
            ("CIFAR-10", "cifar10", 0.054, (2983.87, 1.00, 1.00, 1.00, 1.00)))
        for depth, value in enumerate(values, start=1)),
    note="The slides give neither lambda nor the prior. Here lambda = sqrt(m); the "
         "width, 32, and the prior scale, 0.077, were chosen by the first two MNIST "
         "values, the scale for CIFAR-10, 0.054, by its linear value: the trend over "
         "the other depths is what can be compared.",
    headline=(("MNIST, 3 layers", "complexity"), ("CIFAR-10, 2 layers", "complexity")))


def run(seed=0, name="mnist", depth=1, width=32, prior_scale=0.077, num_nets=50,
        num_points=256):
    """Estimates the complexity of multilayer perceptrons with a normal prior.

    Args:
        seed: Integer.
        name: Name of a data set with classes.
        depth: Integer, dense layers with the output layer; 1 is linear.
        width: Integer, units of each hidden layer.
        prior_scale: Float, standard deviation of every weight; biases are 0.
        num_nets: Integer, draws from the prior.
        num_points: Integer, training rows that the expectation is over.

    Returns:
        Dict of floats: `complexity` (A), `log_complexity`, `flow` (g, mean over
        networks) and `gradient` (squared norm, mean over networks and rows).
    """
    x, y = data.load(name, "train", seed=seed, validation=0)
    network = prior_network(x.shape[1:], depth, width, int(y.max()) + 1, prior_scale)
    log_probs, gradients = prior_draws(
        network, x[:num_points], y[:num_points], num_nets, seed)
    flows = np.mean(gradients * tilt(log_probs), axis=1)  # [W]
    log_complexity = float(_log_mean_exp(flows))
    return {"complexity": float(np.exp(log_complexity)),
            "log_complexity": log_complexity, "flow": float(flows.mean()),
            "gradient": float(gradients.mean())}


def prior_network(input_shape, depth, width, outputs, prior_scale):
    """A network whose posterior is its prior: zero means, `prior_scale`."""
    network = MLP(input_shape, (width,) * (depth - 1), outputs, layer={
        "type": "DenseReparameterization", "kernel_initializer": "zeros",
        "prior_scale": prior_scale, "init_scale": prior_scale})
    conversion.adopt(network)
    return network


def prior_draws(network, x, y, num_nets, seed=0):
    """Draws networks; all rows see each of them.

    Returns:
        Two arrays `[W, N]` in float64: log probabilities of the targets, and
        squared norms of their gradients by the inputs.
    """
    def one(key):
        log_probs, gradients = input_gradients(network, x, y, key)
        axes = list(range(1, len(x.shape)))
        return log_probs, tf.reduce_sum(gradients**2, axis=axes)

    keys = noise.split(noise.key(seed, noise.PREDICT), num_nets)
    pair = tf.map_fn(one, keys, fn_output_signature=(tf.float32, tf.float32))
    return tuple(part.numpy().astype("float64") for part in pair)


def input_gradients(network, x, y, key):
    """Log probabilities `[N]` of one draw, and gradients in the shape of `x`."""
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape, noise.draws(key, coherent=True):
        tape.watch(x)
        log_probs = -tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=y, logits=network(x, training=False))
        total = tf.reduce_sum(log_probs)  # A row moves only its own term.
    return log_probs, tape.gradient(total, x)


def tilt(log_probs):
    """J, `[W, N]`, from log probabilities of the same shape."""
    raised = _NODES[:, None, None] * log_probs  # [9, W, N]
    log_means = _log_mean_exp(raised, axis=1)[:, None]  # [9, 1, N]
    return np.tensordot(_WEIGHTS, np.exp(raised - log_means), axes=1)


def _log_mean_exp(values, axis=0):
    return special.logsumexp(values, axis=axis) - np.log(values.shape[axis])
