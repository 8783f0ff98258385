"""Poisoning: training images moved inside a ball so that one test answer turns.

    x_j <- project(x_j + step_size * sign(I_pert[j, t]))        for a few rows j
    w   <- argmin of the objective with these rows

The labels stay. The rows are those on whose pixels the loss of the test row depends
most, by the L1 norm of I_pert. After each step the chosen weights are trained again to
their minimum and the influence is computed there, until the answer turns. A defender
can look at rows with a high self-influence first.

Reference: Koh and Liang, Understanding Black-box Predictions via Influence Functions,
ICML 2017.
"""

import typing

import numpy as np
import tensorflow as tf

from bdlzoo.core.batches import take
from bdlzoo.evaluation.influence_functions import influence
from bdlzoo.evaluation.refitting import minimum

_ROWS = 200  # Images whose pixels are looked at, at once.


class Poisoning(typing.NamedTuple):
    """An attack through the training rows of one answer.

    Args:
        rows: Integers `[K]`, the training rows that were moved.
        x: Their inputs after the attack, `[K, ...]`.
        labels: Predicted class before and after.
        probabilities: Probability of the class predicted before, before and after.
        steps: Integer, steps until the answer turned, or all.
        weights: Weights `[P]` that were trained on the moved rows.
    """

    rows: np.ndarray
    x: np.ndarray
    labels: tuple
    probabilities: tuple
    steps: int
    weights: np.ndarray

    @property
    def turned(self):
        """Whether the answer is another one."""
        return self.labels[0] != self.labels[1]


def poison(found, train, test, test_row, count=2, epsilon=0.3, step_size=0.03,
           max_steps=30, low=0.0, high=1.0):
    """Moves a few training images so that a test image is answered otherwise.

    Args:
        found: `Influence` on the loss of the test rows, of a classifier.
        train: Pair of inputs and classes that it was made with.
        test: Pair of test inputs and classes that it was made with.
        test_row: Integer, the test row to attack.
        count: Integer, number of training rows that are moved.
        epsilon: Float, radius of the L-infinity ball around each of them.
        step_size: Float, length of a step.
        max_steps: Integer, largest number of steps.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.

    Returns:
        `Poisoning`. The model itself does not change.
    """
    if found.of != "loss":
        raise ValueError("Expected the influence on the loss. Received: "
                         f"of={found.of!r}")
    if not 0 < epsilon < float("inf") or not 1 <= count <= len(train[0]):
        raise ValueError("Expected a radius above zero, and a number of rows from 1 to "
                         f"{len(train[0])}. Received: epsilon={epsilon}, count={count}")
    losses, before = found.losses, found.losses.hidden
    x, y = np.asarray(train[0], "float32"), np.asarray(train[1])
    target = take(test, slice(test_row, test_row + 1))
    answer, slope = _of_target(losses, target)
    vector = found.vector.numpy().astype("float64")
    direction = found.directions[test_row]
    rows = np.argsort([-np.abs(push).sum() for start in range(0, len(x), _ROWS)
                       for push in found.pushes(
                           x[start:start + _ROWS], y[start:start + _ROWS], direction)],
                      kind="stable")[:count]
    origin, moved = x[rows], x[rows]
    label, probability = first = answer(vector)
    step = 0
    try:
        while step < max_steps and label == first[0]:
            push = found.pushes(moved, y[rows], direction, vector)
            moved = np.clip(moved + step_size * np.sign(push), origin - epsilon,
                            origin + epsilon).clip(low, high)
            losses.replace(rows, moved)
            vector = minimum(losses, vector, max_steps=0, inverse=found.inverse)
            direction = found.inverse.solve(slope(vector))[0][0]
            label, probability = answer(vector, first[0])
            step += 1
            if label != first[0] or step == max_steps:
                # Far moves bend the objective: only a whole training tells.
                vector = minimum(losses, vector)
                label, probability = answer(vector, first[0])
    finally:
        losses.hidden = before
    return Poisoning(rows, moved, (first[0], label), (first[1], probability), step,
                     vector)


def suspicion(found, train, attack, options=None):
    """Places of poisoned rows when all are ranked by self-influence, `[K]`, from 0.

    Args:
        found: `Influence` of the clean rows.
        train: Pair of inputs and classes that it was made with.
        attack: `Poisoning`.
        options: Dict of arguments of `influence`; `None` for none.
    """
    head = found.losses.head
    x = np.array(train[0], "float32")
    x[attack.rows] = attack.x
    try:
        head.assign(attack.weights.astype("float32"))
        own = influence(found.losses.model, (x, train[1]), None,
                        found.losses.layers, num_samples=found.losses.num_samples,
                        **(options or {})).self_influence()
    finally:
        head.assign(found.vector)
    return np.argsort(np.argsort(-own, kind="stable"))[attack.rows]


def _of_target(losses, target):
    """Functions of weights: the answer to a test row, and the slope of its loss."""
    x, y = target
    hidden, y = losses.prepare(x), tf.convert_to_tensor(y)

    def answer(vector, of=None):
        [probs] = losses.probabilities(tf.constant(vector, tf.float32), hidden).numpy()
        label = int(np.argmax(probs))
        return label, float(probs[label if of is None else of])

    def slope(vector):
        return losses.loss_slope(tf.constant(vector, tf.float32), hidden, y).numpy()

    return answer, slope
