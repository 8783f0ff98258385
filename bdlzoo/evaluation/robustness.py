"""Accuracy under attacks, image by image.

    natural   share of images that are classified right without an attack
    attack    share of images that are classified right after this attack
    a_rob     share of images that are right without an attack and after every attack

`a_rob` is at most as large as the others: an attacker may choose the best attack for
each image. It can only fall when an attack is added. An expensive attack can be limited
by `after` to the images that an earlier attack has not fooled; images that the earlier
attack has fooled then count as fooled by both.

Reference: Dong et al., Adversarial Distributional Training for Robust Deep Learning,
NeurIPS 2020 (the table of attacks and its last column).
"""

import typing

import numpy as np
import tensorflow as tf

from bdlzoo.attacks import FirstDraw, UniformNoise, default_attacks
from bdlzoo.model.predictive_model import PredictiveModel

NATURAL, ALL = "natural", "a_rob"


class Robustness(typing.NamedTuple):
    """Which images a model classifies right, without and after attacks.

    Args:
        right: Dict from `natural` and the names of attacks to booleans `[B]`, which
            images are classified right.
        y: Integer classes `[B]`.
    """

    right: dict
    y: np.ndarray

    @property
    def robust(self):
        """Booleans `[B]`: right without an attack and after every attack."""
        return np.logical_and.reduce(list(self.right.values()))

    def accuracy(self):
        """Dict of floats: `natural`, every attack, and `a_rob`."""
        return {name: float(np.mean(right)) for name, right in self._all().items()}

    def by_class(self):
        """Accuracy by name as in `accuracy`, then by class."""
        return {name: {int(label): float(np.mean(right[self.y == label]))
                       for label in np.unique(self.y)}
                for name, right in self._all().items()}

    def _all(self):
        return {**self.right, ALL: self.robust}


def robustness(model, x, y, attacks=None, after=None, batch_size=128, num_samples=None,
               seed=0, epsilon=None):
    """Attacks a classifier in several ways.

    Args:
        model: Keras classifier, model of the zoo, or `FirstDraw` of one.
        x: Inputs `[B, ...]`.
        y: Integer classes `[B]`.
        attacks: Dict from names to `bdlzoo.attacks.Attack`, in the order to run them;
            `None` for `bdlzoo.attacks.default_attacks(epsilon)`, each on images that
            are still right after the one before it.
        after: Dict from the name of an attack to the name of an earlier one, or to
            `"natural"`. The attack is then tried only on images that are still right
            after the earlier one.
        batch_size: Integer, rows of a call. The last batch is filled up to this size,
            so that nothing is traced again.
        num_samples: Integer, draws of a model of the zoo for its predictions; `None`
            takes that of the model.
        seed: Integer, seed of attacks and predictions, which use different draws.
        epsilon: Float, radius of the ball of the default attacks.

    Returns:
        `Robustness`.
    """
    x, y = np.asarray(x), np.reshape(y, [-1])
    if attacks is None:
        attacks, after = _defaults(model, x, epsilon, after)
    after = dict(after or {})
    _check(x, y, attacks, after, batch_size)
    batch_size = min(batch_size, len(x))
    answer = _answers(model, batch_size, num_samples, seed)
    right = {NATURAL: answer(x) == y}
    for place, (name, attack) in enumerate(attacks.items()):
        rows = np.arange(len(x))
        if name in after:
            rows = np.flatnonzero(right[after[name]])
        right[name] = np.zeros(len(x), bool)
        right[name][rows] = survivors(attack, model, x[rows], y[rows], answer,
                                      batch_size, (seed, place))
    return Robustness(right, y)


def survivors(attack, model, x, y, answer, batch_size=128, seed=(0, 0)):
    """Which rows are right after an attack.

    Args:
        attack: `bdlzoo.attacks.Attack`.
        model: Keras classifier, model of the zoo, or `FirstDraw` of one.
        x: Inputs `[B, ...]`.
        y: Integer classes `[B]`.
        answer: Callable from inputs to the classes that the model predicts.
        batch_size: Integer, rows of a call. The last batch is filled up to this size.
        seed: Pair of integers, seed of the attack.

    Returns:
        Booleans `[B]`.
    """
    right = np.zeros(len(x), bool)
    for first in range(0, len(x), batch_size):
        rows = np.arange(first, min(first + batch_size, len(x)))
        full = np.resize(rows, batch_size)  # Filled up with copies.
        found = attack(model, x[full], y[full], (seed[0], seed[1] + 1000 * first))
        right[rows] = (answer(found) == y[full])[:len(rows)]
    return right


def _defaults(model, x, epsilon, after):
    """The default attacks, and which of them has which one before it."""
    if epsilon is None or after:
        raise ValueError(
            "Expected `attacks`, or `epsilon` without `after` for the default attacks. "
            f"Received: attacks=None, epsilon={epsilon}, after={after}")
    count = UniformNoise(epsilon).check_model(model, tf.cast(x[:1], tf.float32))
    attacks = default_attacks(epsilon, count)
    return attacks, dict(zip(attacks, [NATURAL, *attacks]))


def _answers(model, batch_size, num_samples, seed):
    """A callable from inputs to classes `[B]`."""
    if isinstance(model, FirstDraw):
        return model.labels
    if isinstance(model, PredictiveModel):
        return lambda x: model.predict_uncertainty(
            np.asarray(x), num_samples, seed).label
    # Not `predict`, because its overhead is larger than the cost of small networks.
    outputs = tf.function(lambda x: model(tf.cast(x, tf.float32), training=False),
                          reduce_retracing=True)
    return lambda x: np.concatenate([
        np.argmax(outputs(tf.constant(x[first:first + batch_size])), axis=-1)
        for first in range(0, len(x), batch_size)])


def _check(x, y, attacks, after, batch_size):
    if len(x) != len(y) or not len(x):
        raise ValueError("Expected one class for each input, and at least one input. "
                         f"Received: x.shape={x.shape}, y.shape={y.shape}")
    if batch_size < 1:
        raise ValueError("Expected one row or more in a batch. "
                         f"Received: batch_size={batch_size}")
    names = list(attacks)
    for reserved in (NATURAL, ALL):
        if reserved in names:
            raise ValueError("Expected another name for an attack. "
                             f"Received: {reserved!r}")
    for name, other in after.items():
        if name not in names or other not in [NATURAL, *names[:names.index(name)]]:
            raise ValueError(
                "Expected `after` to map an attack to an earlier one, or to "
                f"{NATURAL!r}. Received: after={after}, attacks={names}")
