"""Loss of a classifier around inputs, along two directions.

    loss(a, b) = mean over inputs of -log p(y | clip(x + a * first + b * second))
    first      = sign(grad loss(x))        direction of FGSM
    second     = random signs

All entries of a direction have the same size, so that a step is measured in the
L-infinity norm. A network without a defence has a surface that is steep along the
first direction and flat along the second. If the surface bends after a small step, the
network hides its gradients.
"""

import typing

import numpy as np
import tensorflow as tf

from bdlzoo.attacks import FGSM
from bdlzoo.core import noise


class LossSurface(typing.NamedTuple):
    """Losses on a grid.

    Args:
        places: Array `[P]`, steps along either direction.
        losses: Array `[P, P]`, in nats; rows are steps along the first direction.
    """

    places: np.ndarray
    losses: np.ndarray

    @property
    def rise(self):
        """Largest loss minus the loss of the inputs themselves."""
        middle = len(self.places) // 2
        return float(self.losses.max() - self.losses[middle, middle])


def loss_surface(model, x, y, radius, points=21, num_samples=1, from_logits=True,
                 low=0.0, high=1.0, seed=0):
    """Computes the loss around inputs.

    Args:
        model: Keras classifier, or model of the zoo with `draw` and `likelihood`.
        x: Inputs `[B, ...]` inside `[low, high]`.
        y: Integer classes `[B]`.
        radius: Float, the farthest step.
        points: Odd integer, steps along a direction; the middle one is zero.
        num_samples: Integer, draws of a model of the zoo in every loss.
        from_logits: Bool, whether a plain Keras model returns logits; `False` means
            probabilities. For a model of the zoo it has no effect.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.
        seed: Integer, seed of the draws, which are the same for the whole grid.

    Returns:
        `LossSurface`.
    """
    if points < 3 or points % 2 == 0 or not radius > 0:
        raise ValueError("Expected a radius above zero, and an odd number of points, 3 "
                         f"or more. Received: radius={radius}, points={points}")
    attack = FGSM(radius, num_samples=num_samples, from_logits=from_logits, low=low,
                  high=high)
    x, y = attack.check(model, x, y)
    key = noise.key(seed, noise.ATTACK)

    @tf.function
    def directions():
        return (tf.sign(attack.gradient(model, x, y, key)),
                noise.signs(tf.shape(x), noise.fold_in(key, 1)))

    first, second = directions()

    @tf.function
    def loss(ahead, aside):
        moved = tf.clip_by_value(x + ahead * first + aside * second, low, high)
        return tf.reduce_mean(attack.gain(model, moved, y, key))

    places = np.linspace(-radius, radius, points).astype("float32")
    return LossSurface(places, np.array(
        [[loss(tf.constant(ahead), tf.constant(aside)).numpy() for aside in places]
         for ahead in places]))
