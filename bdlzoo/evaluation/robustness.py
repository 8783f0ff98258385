"""Accuracy under attacks, image by image.

    natural   share of images that are right as they are
    attack    share that is right after it
    a_rob     share that is right as it is and after every attack

`a_rob` is below all others, and falls when an attack is added: an attacker may choose,
for each image, whatever works. An expensive attack need not be tried on what another
has fooled already: `after` says which, and what that one fooled counts as fooled by
both.

Reference: Dong et al., Adversarial Distributional Training for Robust Deep Learning,
NeurIPS 2020 (the table of attacks and its last column).
"""

import typing

import numpy as np
import tensorflow as tf

from bdlzoo.attacks import FirstDraw
from bdlzoo.model.predictive_model import PredictiveModel

NATURAL, ALL = "natural", "a_rob"


class Robustness(typing.NamedTuple):
    """What attacks have left of the accuracy of a model.

    Args:
        right: Dict from `natural`, and from the names of attacks, to booleans `[B]`:
            which images are right.
        y: Integer classes `[B]`.
    """

    right: dict
    y: np.ndarray

    @property
    def robust(self):
        """Booleans `[B]`: right as they are and after every attack."""
        return np.logical_and.reduce(list(self.right.values()))

    def accuracy(self):
        """Dict of floats: `natural`, every attack, and `a_rob`."""
        return {name: float(np.mean(right)) for name, right in self._all().items()}

    def by_class(self):
        """Dict of dicts, from a class to the share of its images that is right."""
        return {name: {int(label): float(np.mean(right[self.y == label]))
                       for label in np.unique(self.y)}
                for name, right in self._all().items()}

    def _all(self):
        return {**self.right, ALL: self.robust}


def robustness(model, x, y, attacks, after=None, batch_size=128, num_samples=None,
               seed=0):
    """Attacks a classifier in several ways.

    Args:
        model: Keras classifier, model of the zoo, or `FirstDraw` of one.
        x: Inputs `[B, ...]`.
        y: Integer classes `[B]`.
        attacks: Dict from names to `bdlzoo.attacks.Attack`, in their order.
        after: Dict from the name of an attack to that of an earlier one, or to
            `"natural"`: it is tried on what that one has left right, and on nothing
            else.
        batch_size: Integer, rows of a call; fewer are filled up, so that nothing is
            traced again.
        num_samples: Integer, draws of a model of the zoo that answers.
        seed: Integer; the draws that are attacked are not those that answer.

    Returns:
        `Robustness`.
    """
    x, y = np.asarray(x), np.reshape(y, [-1])
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
        attack: `Attack`.
        model: See `robustness`.
        x: Inputs `[B, ...]`.
        y: Integer classes `[B]`.
        answer: Callable from inputs to the classes that the model answers.
        batch_size: See `robustness`.
        seed: Pair of integers.

    Returns:
        Booleans `[B]`.
    """
    right = np.zeros(len(x), bool)
    for first in range(0, len(x), batch_size):
        rows = np.arange(first, min(first + batch_size, len(x)))
        full = np.resize(rows, batch_size)  # Filled up with the same ones again.
        found = attack(model, x[full], y[full], (seed[0], seed[1] + 1000 * first))
        right[rows] = (answer(found) == y[full])[:len(rows)]
    return right


def _answers(model, batch_size, num_samples, seed):
    """A callable from inputs to classes `[B]`."""
    if isinstance(model, FirstDraw):
        return model.labels
    if isinstance(model, PredictiveModel):
        return lambda x: model.predict_uncertainty(
            np.asarray(x), num_samples, seed).label
    # Not `predict`: what it does around each call would outweigh small networks.
    outputs = tf.function(lambda x: model(tf.cast(x, tf.float32), training=False),
                          reduce_retracing=True)
    return lambda x: np.concatenate([
        np.argmax(outputs(tf.constant(x[first:first + batch_size])), axis=-1)
        for first in range(0, len(x), batch_size)])


def _check(x, y, attacks, after, batch_size):
    if len(x) != len(y) or not len(x):
        raise ValueError("Expected one class for each input, and one input at least. "
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
                "Expected `after` to name attacks, each behind an earlier one, or "
                f"behind {NATURAL!r}. Received: after={after}, attacks={names}")
