"""Bias and variance of estimators of the gradient through discrete draws.

    bias     = || mean of the estimates - gradient ||
    floor    = || error of that mean || by the number of draws, 0 where it is known
    variance = sum over the potentials of the variance of an estimate

A discrete VAE, one variable of ten values, is trained for some steps, and stopped. The
gradients are those of the mean reconstruction loss of some test images in the
potentials of each, all by enumeration. Direct optimisation has a mean in closed form, a
difference of probabilities; the others have a floor. All figures are means over images.

Reference: Lorberbom et al., Direct Optimization through arg max for Discrete
Variational Auto-Encoder, NeurIPS 2019, the figure of bias and variance.
"""

import functools

import numpy as np
import tensorflow as tf

from bdlzoo import data
from bdlzoo.core import noise
from bdlzoo.estimators import DirectOptimization, Exact, GumbelSoftmax, ScoreFunction
from tools.reproduce import discrete_vae
from tools.reproduce.table import Row, Table

EPSILONS = (1.0, 0.3, 0.1, 0.03, 0.01)
TAUS = (1.0, 0.3, 0.1, 0.03)
_AT_ONCE = 500  # Draws of one call.
_LINES = (
    *((f"direct, epsilon {value:g}", "direct", value) for value in EPSILONS),
    *((f"direct, two sides, epsilon {value:g}", "two_sided", value)
      for value in EPSILONS),
    *((f"Gumbel-softmax, tau {value:g}", "gumbel_softmax", value) for value in TAUS),
    *((f"straight-through, tau {value:g}", "straight_through", value)
      for value in TAUS),
    ("score function", "score_function", 0.0))

TABLE = Table(
    name="direct_bias",
    title="Bias and variance of gradients through discrete draws",
    subject="Density models",
    metrics=("bias", "floor", "variance", "norm"),
    rows=tuple(Row(label, "direct_bias", changes=dict(estimator=name, value=value))
               for label, name, value in _LINES),
    note="Our own table of the curves of the slides, which have no numbers. A discrete "
         "VAE of ten codes after 600 steps on Fashion-MNIST; gradients of the "
         "reconstruction loss, nats, in the potentials of ten test images, 10,000 "
         "draws each. The bias of direct optimisation is exact; a bias of the others "
         "that is not above the floor is none that these draws could show. The score "
         "function has no bias; its baseline is the mean loss.",
    num_seeds=1, headline=(("direct, epsilon 0.1", "bias"),
                           ("Gumbel-softmax, tau 0.1", "bias")),
    figures=("direct_bias.png",))


def run(seed=0, estimator="direct", value=1.0, name="fashion_mnist", num_draws=10_000,
        num_images=10, num_train=60_000, units=300):
    """Measures one estimator at one value of its parameter.

    Args:
        seed: Integer.
        estimator: `"direct"`, `"two_sided"`, `"gumbel_softmax"`,
            `"straight_through"` or `"score_function"`.
        value: Float, the epsilon or tau.
        name: Name of a set of images.
        num_draws: Integer, estimates of each image.
        num_images: Integer, test images.
        num_train: Integer, training images, each of which is seen once.
        units: Integer, hidden units of encoder and decoder.

    Returns:
        Dict of floats: `bias`, `floor`, `variance`, and the `norm` of the gradient.
    """
    model, images = half_trained(seed, name, num_train, num_images, units)
    potentials, loss = problem(model, images)
    exact = gradients(Exact(), potentials, loss, 1, seed)[0]
    table = np.asarray(loss(tf.eye(potentials.shape[-1])[:, None, None])).T  # [B, K]
    found = gradients(_estimator(estimator, value, table), potentials, loss,
                      num_draws, seed)
    return {**figures(found, exact, _known_mean(estimator, value, potentials, table)),
            "norm": float(np.linalg.norm(exact, axis=-1).mean())}


@functools.cache  # All lines of the table have the same model.
def half_trained(seed, name, num_train, num_images, units):
    """A model that has seen each image once, and test images in black and white."""
    train, test = (np.round(data.load(name, split, validation=0).x)
                   for split in ("train", "test"))
    model = discrete_vae.build("direct", train.shape[1:], 1, 10, units, seed,
                               train_kl=True)
    model.fit(train[:num_train], batch_size=100, epochs=1, verbose=0)
    return model, test[:num_images]


def problem(model, images):
    """Potentials `[B, K]` of images, and the losses of their codes."""
    [potentials] = model.posterior(tf.constant(images))

    def loss(codes):
        return model.reconstruction_loss(tf.constant(images), codes)

    return potentials.numpy()[:, 0], loss


def gradients(estimator, potentials, loss, num_draws, seed=0):
    """Estimates of the gradient, `[S, B, K]` in float64, one for each draw."""
    images = len(potentials)

    @tf.function
    def some(key, count):
        rows = tf.tile(tf.constant(potentials)[:, None], [count, 1, 1])

        def tall(codes):
            if codes.shape[1] == 1:  # Shared by all rows: the losses are, too.
                return tf.tile(loss(codes), [1, count])
            split = tf.reshape(codes, [count, images, 1, codes.shape[-1]])
            return tf.reshape(loss(split), [1, count * images])

        with tf.GradientTape() as tape:
            tape.watch(rows)
            total = tf.reduce_sum(estimator(rows, tall, key))
        slopes = tape.gradient(total, rows)
        return tf.reshape(slopes, [count, images, slopes.shape[-1]])

    found = []
    for first in range(0, num_draws, _AT_ONCE):
        key = noise.key(seed, noise.DIAGNOSE, first)
        found.append(some(key, min(_AT_ONCE, num_draws - first)))
    return np.concatenate(found).astype("float64")


def figures(found, exact, mean=None):
    """Bias, floor and variance, means over images.

    Args:
        found: Estimates `[S, B, K]`.
        exact: Gradients `[B, K]`.
        mean: Mean of the estimates `[B, K]` where it is known; `None` measures it.
    """
    variance = found.var(axis=0).sum(axis=-1)  # [B]
    floor = 0.0 * variance if mean is not None else np.sqrt(variance / len(found))
    mean = found.mean(axis=0) if mean is None else mean
    return {"bias": float(np.linalg.norm(mean - exact, axis=-1).mean()),
            "floor": float(floor.mean()), "variance": float(variance.mean())}


def _estimator(name, value, table):
    if name == "score_function":
        return ScoreFunction(float(table.mean()))
    return {"direct": lambda: DirectOptimization(value),
            "two_sided": lambda: DirectOptimization(value, two_sided=True),
            "gumbel_softmax": lambda: GumbelSoftmax(value),
            "straight_through": lambda: GumbelSoftmax(value, straight_through=True),
            }[name]()


def _known_mean(name, value, potentials, table):
    """Mean of direct optimisation: a difference of probabilities."""
    def at(shift):
        return np.asarray(tf.nn.softmax(np.float64(potentials) - shift * table))

    if name == "direct":
        return (at(0.0) - at(value)) / value
    if name == "two_sided":
        return (at(-value) - at(value)) / (2.0 * value)
    return None


def curves(results):
    """Arguments of `bdlzoo.reports.bias_variance` from rows of the table."""
    lines = {}
    for row in results["rows"]:
        label, _, parameter = row["label"].rpartition(" ")
        if parameter[0].isdigit():
            scores = row["scores"][0]
            lines.setdefault(label.rpartition(",")[0], []).append(
                (float(parameter), scores["bias"], scores["floor"],
                 scores["variance"]))
    return {"lines": {label: np.array(sorted(points)) for label, points
                      in lines.items()}}
