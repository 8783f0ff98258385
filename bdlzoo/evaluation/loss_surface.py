"""The loss of a classifier around inputs, along two directions.

    loss(a, b) = mean over inputs of -log p(y | clip(x + a * first + b * second))
    first      = sign(grad loss(x))        where FGSM goes
    second     = random signs              where nobody goes

Both have entries of one size, so that a step is one of the L-infinity ball. A surface
that is steep along the first direction and flat along the second is that of a network
without a defence; one that bends behind a small step hides its gradients.
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
        """Largest loss less that of the inputs themselves."""
        middle = len(self.places) // 2
        return float(self.losses.max() - self.losses[middle, middle])


def loss_surface(model, x, y, radius, points=21, num_samples=1, from_logits=True,
                 low=0.0, high=1.0, seed=0):
    """Measures the loss around inputs.

    Args:
        model: See `bdlzoo.attacks.Attack`.
        x: Inputs `[B, ...]` inside `[low, high]`.
        y: Integer classes `[B]`.
        radius: Float, the farthest step.
        points: Odd integer, steps along a direction; the middle one is zero.
        num_samples: See `bdlzoo.attacks.Attack`.
        from_logits: See `bdlzoo.attacks.Attack`.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.
        seed: Integer; every point of the grid sees the same draws.

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
