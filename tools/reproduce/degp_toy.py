"""Eight points on a line: DE-GP, a plain ensemble and the exact process.

    y = sin(2 x) at eight x on [-1.5, 1.5], the last one lowered by 1.2

The exact posterior is that of the Gaussian process of the architecture
(`nngp_regression`). At x = -3 and 3, outside of the data, `DEGP` should be as uncertain
as the exact posterior; nothing controls the uncertainty of a plain ensemble there.
Members start from the prior, as in the authors' code.

Reference: Deng et al., Deep Ensemble as a Gaussian Process Approximate Posterior,
2022.
"""

import math

import keras
import numpy as np

from bdlzoo.evaluation import nngp_regression
from bdlzoo.methods import DEGP, DeepEnsemble
from tools.reproduce.table import Row, Table

METHODS = ("degp", "deep_ensemble", "nngp")
OUTSIDE = np.array([[-3.0], [3.0]], "float32")

TABLE = Table(
    name="degp_toy",
    title="Eight points on a line: DE-GP, a plain ensemble and the exact process",
    subject="Toys",
    metrics=("std_data", "std_outside", "ratio", "of_exact", "rmse"),
    rows=(Row("DE-GP, points on [-4, 4]", "degp_toy"),
          Row("DE-GP, points on [-2, 2]", "degp_toy", changes=dict(box=(-2.0, 2.0))),
          Row("plain ensemble", "degp_toy", changes=dict(method="deep_ensemble")),
          Row("exact NN-GP", "degp_toy", changes=dict(method="nngp"))),
    note="Our own table; the slides show plots. 20 members of 2 x 64 units, 1,000 "
         "steps. Standard deviations of the function at the data and outside, at -3 "
         "and 3, their ratio, and the latter as a share of the exact one. KL weight 1.",
    headline=(("DE-GP, points on [-4, 4]", "of_exact"),),
    figures=("degp_toy.png",))


def points():
    """The training data, `[8, 1]` each."""
    x = np.linspace(-1.5, 1.5, 8, dtype="float32")[:, None]
    y = np.sin(2 * x)
    y[-1] -= 1.2
    return x, y


def run(seed=0, method="degp", **options):
    """Trains one method and measures its uncertainty.

    Args:
        seed: Integer.
        method: One of `METHODS`.
        **options: See `predict`.

    Returns:
        Dict of floats, means over their points: `std_data`, standard deviation
        of the function at the data; `std_outside`, at -3 and 3; their `ratio`;
        `of_exact`, the quotient of `std_outside` and that of the exact
        posterior; `rmse`, of the mean at the data.
    """
    x, y = points()
    both = np.concatenate([x, OUTSIDE])
    mean, std = predict(both, seed, method, **options)
    _, exact = (std, std) if method == "nngp" else predict(
        both, seed, "nngp", **options)
    inside, outside = std[:len(x)].mean(), std[len(x):].mean()
    return {"std_data": float(inside), "std_outside": float(outside),
            "ratio": float(outside / inside),
            "of_exact": float(outside / exact[len(x):].mean()),
            "rmse": float(np.sqrt(np.mean((mean[:len(x)] - y[:, 0])**2)))}


def panels(seed=0, **options):
    """What `bdlzoo.reports.posterior_panels` draws: all methods on a grid."""
    x, y = points()
    grid = np.linspace(-4, 4, 161, dtype="float32")
    names = ("DE-GP", "Plain ensemble", "Exact NN-GP")
    return dict(x=grid, train_x=x, train_y=y, panels={
        name: predict(grid[:, None], seed, method, **options)
        for name, method in zip(names, METHODS)})


def predict(x, seed=0, method="degp", num_members=20, num_steps=1000, hidden=64,
            num_layers=2, noise_scale=0.1, weight_variance=2.0, bias_variance=1.0,
            num_points=16, box=(-4.0, 4.0), jitter=1e-4, learning_rate=3e-3):
    """Mean and standard deviation of the function at `x`, without noise.

    Args:
        x: Array `[n, 1]`.
        seed: Integer.
        method: One of `METHODS`.
        num_members: Integer.
        num_steps: Integer, steps of Adam, each with all data.
        hidden: Integer, units of a hidden layer.
        num_layers: Integer, hidden layers.
        noise_scale: Float, standard deviation of the likelihood.
        weight_variance: Float, W_var of all layers.
        bias_variance: Float, b_var of all layers.
        num_points: Integer, random measurement points of a step.
        box: Pair of floats, between which they lie.
        jitter: Float, relative, of posterior and prior.
        learning_rate: Float, at the start; it falls to 0 along a cosine.

    Returns:
        Two arrays `[n]`.
    """
    if method not in METHODS:
        raise ValueError(f"Expected one of {METHODS}. Received: method={method!r}")
    train_x, train_y = points()
    if method == "nngp":
        kernel = nngp_regression.ReLUKernel(
            [weight_variance] * (num_layers + 1), [bias_variance] * (num_layers + 1))
        return nngp_regression.posterior(kernel, train_x, train_y, x, noise_scale)
    network = _network(hidden, num_layers, weight_variance, bias_variance)
    options = dict(num_members=num_members, seed=seed, own_order=False)
    likelihood = {"type": "gaussian", "noise_scale": noise_scale}
    if method == "degp":
        model = DEGP(network, likelihood, num_points=num_points, box=box,
                     weight_variance=weight_variance, bias_variance=bias_variance,
                     jitter=jitter, **options)
    else:
        model = DeepEnsemble(network, likelihood, **options)
    model.compile(keras.optimizers.Adam(
        keras.optimizers.schedules.CosineDecay(learning_rate, num_steps)),
        steps_per_execution=min(100, num_steps))
    # One long epoch: starting thousands of short ones takes time.
    rows = [np.tile(part, (num_steps, 1)) for part in (train_x, train_y)]
    model.fit(*rows, batch_size=len(train_x), num_data=len(train_x), shuffle=False,
              verbose=0)
    outputs = model.outputs(np.asarray(x, "float32")[None]).numpy()[..., 0]  # [M, n]
    return outputs.mean(axis=0), outputs.std(axis=0)


def _network(hidden, num_layers, weight_variance, bias_variance):
    """A perceptron whose initial weights are the prior's."""
    options = dict(
        kernel_initializer=keras.initializers.VarianceScaling(
            weight_variance, "fan_in", "untruncated_normal"),
        bias_initializer=keras.initializers.RandomNormal(
            stddev=math.sqrt(bias_variance)))
    return keras.Sequential([
        keras.Input((1,)),
        *(keras.layers.Dense(hidden, "relu", **options) for _ in range(num_layers)),
        keras.layers.Dense(1, **options)])
