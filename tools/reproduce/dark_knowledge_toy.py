"""A student of chains on a cubic of 20 points, beside the chains themselves.

    y = x**3 + e,   x ~ U(-4, 4),   e ~ N(0, 9)

Teachers are networks 1-100-1 with ReLU, the student one with two outputs, mean and
variance, that is asked about x' ~ U(-6, 6). Networks see x / 4 and y / 10, so that
a prior N(0, 1) on all weights has functions of the size of the data. Where the data
say little, one chain is too short to forget its start; hence several chains, which
start from the prior: R-hat is up to 1.16 where the data are, and about 1.5 at the
edges of [-6, 6]. The student is compared with the samples of the same chains, stored
after burn-in: the gaps are those of distilling, not of sampling.

Reference: Balan et al., Bayesian Dark Knowledge, NeurIPS 2015; the toy is that of
Hernandez-Lobato and Adams, Probabilistic Backpropagation, ICML 2015.
"""

import functools
import math

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.methods import SGLD, BayesianDarkKnowledge
from tools.reproduce.table import Row, Table

METHODS = ("sgld", "bdk")
NUM_DATA, NOISE_SCALE = 20, 3.0
_X, _Y = 4.0, 10.0  # Units of inputs and targets that the networks see.
_INSIDE, _EDGE = 4.0, 6.0  # Where data are, and where the student is asked.

TABLE = Table(
    name="dark_knowledge_toy",
    title="A student of chains on a cubic of 20 points",
    subject="Toys",
    metrics=("std_ratio", "std_ratio_outside", "std_gap", "rmse_gap", "nll_sgld",
             "nll_bdk"),
    rows=(Row("BDK beside its chains", "dark_knowledge_toy"),),
    note="Our own table. Standard deviations of the student, divided by those of the "
         "samples of the same chains, over [-6, 6], and beyond the data.")


def run(seed=0, **options):
    """Trains chains and student, and compares their predictions.

    Args:
        seed: Integer.
        **options: See `trained`.

    Returns:
        Dict of floats. Means over 121 points of [-6, 6]: `std_ratio`, the total
        standard deviation of the student divided by that of the chains,
        `std_ratio_outside`, the same beyond the data, `std_gap`, the absolute
        difference of the ratio from 1, and `rmse_gap`, the root mean square
        difference of the means, in units of y. On 1000 new rows of the data:
        `nll_sgld` and `nll_bdk`, of y, and `rmse_sgld` and `rmse_bdk`.
    """
    grid = np.linspace(-_EDGE, _EDGE, 121, dtype="float32")[:, None]
    models = {method: trained(seed, method, **options) for method in METHODS}
    chains, student = (predict(models[method], grid) for method in METHODS)
    ratio = student.std / chains.std
    x, y = points(seed, 1000, stream=1)
    scores = {}
    for method, model in models.items():
        prediction = predict(model, x)
        scores[f"nll_{method}"] = float(
            math.log(_Y) - np.mean(prediction.log_prob(y / _Y)))
        scores[f"rmse_{method}"] = _rms(_Y * prediction.mean - y)
    return {"std_ratio": float(ratio.mean()),
            "std_ratio_outside": float(ratio[np.abs(grid) > _INSIDE].mean()),
            "std_gap": float(np.abs(ratio - 1).mean()),
            "rmse_gap": _Y * _rms(student.mean - chains.mean), **scores}


def bands(seed=0, num_points=241, **options):
    """What `bdlzoo.reports.predictive_band` draws, by method, in units of y.

    Args:
        seed: Integer.
        num_points: Integer, on [-6, 6].
        **options: See `trained`.

    Returns:
        Dict from each of `METHODS` to the arguments of one figure.
    """
    grid = np.linspace(-_EDGE, _EDGE, num_points, dtype="float32")[:, None]
    x, y = points(seed)

    def raw(prediction):
        return type(prediction)(_Y * prediction.means, _Y**2 * prediction.variances)

    return {method: dict(
        x=grid, prediction=raw(predict(trained(seed, method, **options), grid)),
        train_x=x, train_y=y, truth=grid[:, 0]**3) for method in METHODS}


def points(seed=0, count=NUM_DATA, stream=0):
    """Rows of the cubic, `[count, 1]` each.

    Args:
        seed: Integer.
        count: Integer.
        stream: Integer, other rows for each.
    """
    key = noise.key(seed, noise.ORDER, stream)
    x = 2.0 * _INSIDE * (noise.uniform([count, 1], noise.fold_in(key, 0)).numpy() - 0.5)
    error = noise.normal([count, 1], noise.fold_in(key, 1)).numpy()
    return x, x**3 + NOISE_SCALE * error


def predict(model, x):
    """Prediction of y / 10 at `x`, by all samples of the chains."""
    return model.predict_uncertainty(np.asarray(x, "float32") / _X)


@functools.lru_cache(maxsize=8)
def trained(seed, method, num_steps=32_000, rate=4e-4, burn_in=8000, thinning=240,
            num_chains=10, hidden=100, student_rate=0.01, verbose=0):
    """The chains with their samples, or with their student, of a seed: kept.

    Args:
        seed: Integer.
        method: One of `METHODS`.
        num_steps: Integer, steps with all data.
        rate: Float, of the chains.
        burn_in: Integer, steps before the first sample.
        thinning: Integer, steps from one sample to the next.
        num_chains: Integer.
        hidden: Integer, units of teacher and student.
        student_rate: Float, of Adam at the start; it falls to 0 along a cosine.
        verbose: See `keras.Model.fit`.

    Returns:
        Trained `PredictiveModel`.
    """
    if method not in METHODS:
        raise ValueError(f"Expected one of {METHODS}. Received: method={method!r}")
    keras.utils.set_random_seed(seed)  # The weights of the student at the start.
    likelihood = {"type": "gaussian", "noise_scale": NOISE_SCALE / _Y}
    options = dict(seed=seed, num_chains=num_chains, burn_in=burn_in,
                   thinning=thinning, prior_scale=1.0, own_order=False)
    prior = keras.initializers.RandomNormal(stddev=1.0)
    network = _network(hidden, 1, kernel_initializer=prior, bias_initializer=prior)
    if method == "sgld":
        model = SGLD(network, likelihood, num_kept=max(
            1, (num_steps - burn_in) // thinning), **options)
        extra = {}
    else:
        model = BayesianDarkKnowledge(
            network, likelihood, student=_network(hidden, 2),
            student_likelihood="heteroscedastic_gaussian",
            box=(-_EDGE / _X, _EDGE / _X), **options)
        decay = keras.optimizers.schedules.CosineDecay(student_rate, num_steps)
        extra = dict(student_optimizer=keras.optimizers.Adam(decay))
    model.compile(keras.optimizers.SGD(rate), metrics=[], **extra)
    x, y = points(seed)
    rows = tf.data.Dataset.from_tensors((x / _X, y / _Y)).repeat()
    model.fit(rows, steps_per_epoch=num_steps, num_data=len(x), verbose=verbose)
    return model


def _network(hidden, outputs, **options):
    return keras.Sequential([
        keras.Input((1,)), keras.layers.Dense(hidden, "relu", **options),
        keras.layers.Dense(outputs, **options)])


def _rms(gaps):
    return float(np.sqrt(np.mean(np.square(gaps))))
