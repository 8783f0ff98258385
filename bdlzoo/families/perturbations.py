"""Distribution of perturbations that an adversary has learnt for inputs.

    delta = epsilon * a,    a drawn in (-1, 1),    x' = clip(x + delta, low, high)
"""

import numpy as np
import tensorflow as tf

from bdlzoo.core import noise


class Perturbations:
    """Draws perturbations of inputs, and measures their spread.

    Args:
        law: Object with `draws(num_samples, key)`, numbers in (-1, 1).
        ball: `bdlzoo.core.ball.Ball` around the inputs.

    Example:

        perturbations = model.adversarial_distribution(x, y)
        attacked = perturbations.inputs(16, seed=0)  # [16, B, ...]
    """

    def __init__(self, law, ball):
        self.law = law
        self.ball = ball
        # Counts and seeds are tensors, so that no new value retraces it.
        self._draw = tf.function(
            lambda count, seed: self.law.draws(count, noise.key(seed, noise.ATTACK, 1)),
            reduce_retracing=True)

    def draws(self, num_samples, seed=0):
        """Perturbations `[S, B, ...]` in the ball, before inputs are clipped.

        Args:
            num_samples: Integer, perturbations of each input.
            seed: Integer, or a pair of integers.
        """
        return self.ball.radius * self._places(num_samples, seed)

    def inputs(self, num_samples, seed=0):
        """Attacked inputs `[S, B, ...]`, in the ball and in the box.

        Args:
            num_samples: Integer, perturbations of each input.
            seed: Integer, or a pair of integers.
        """
        return self.ball.at(self._places(num_samples, seed))

    def spread(self, num_samples=64, seed=0):
        """Standard deviation over draws of each number of an input, `[B, ...]`.

        Args:
            num_samples: Integer, draws of each input.
            seed: Integer, or a pair of integers.
        """
        return tf.math.reduce_std(self.draws(num_samples, seed), axis=0)

    def _places(self, num_samples, seed):
        if not isinstance(num_samples, (int, np.integer)) or num_samples < 1:
            raise ValueError("Expected a whole number of at least 1. Received: "
                             f"num_samples={num_samples!r}")
        return self._draw(tf.constant(num_samples), noise.as_seed(seed))
