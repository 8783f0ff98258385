"""Projected gradient ascent.

    x_0     = project(x + epsilon * U(-1, 1))
    x_{t+1} = project(x_t + step_size * sign(grad gain(x_t)))

The posterior is drawn anew in every step. Restarts begin elsewhere in the
ball, and each row keeps the one that gained most.

Reference: Madry et al., Towards Deep Learning Models Resistant to Adversarial
Attacks, ICLR 2018.
"""

import tensorflow as tf

from bdlzoo.attacks.attack import StepAttack
from bdlzoo.core import noise, registry


@registry.register
class PGD(StepAttack):
    """Attacks with many signed gradient steps, kept in the ball.

    Args:
        epsilon: Float, radius of the ball.
        step_size: Float, length of a step.
        num_steps: Integer, steps of every start.
        random_start: Boolean, whether to start anywhere in the ball, or at `x`.
        num_restarts: Integer, number of starts.
        **kwargs: See `Attack`.

    Example:

    ```python
    attack = PGD(epsilon=8 / 255, step_size=2 / 255, num_steps=20)
    x_adv = attack(model, x, y, seed=0)
    ```
    """

    def __init__(self, epsilon, step_size, num_steps, random_start=True,
                 num_restarts=1, **kwargs):
        super().__init__(epsilon, step_size, num_steps, **kwargs)
        self.random_start = random_start
        self.num_restarts = num_restarts
        self.check_settings()

    def check_settings(self):
        super().check_settings()
        if self.num_restarts < 1:
            raise ValueError("Expected one start or more. "
                             f"Received: num_restarts={self.num_restarts}")

    def perturb(self, model, x, y, seed, **settings):
        best = self._climb(model, x, y, seed, 0, **settings)
        if self.num_restarts > 1:
            # One set of draws judges all starts, and belongs to none of them.
            judge = noise.key(seed, noise.ATTACK, -1, 0)
            best_gain = self.gain(model, best, y, judge)
            for restart in tf.range(1, self.num_restarts):
                found = self._climb(model, x, y, seed, restart, **settings)
                gain = self.gain(model, found, y, judge)
                better = tf.reshape(
                    gain > best_gain, [-1] + [1] * (len(x.shape) - 1))
                best = tf.where(better, found, best)
                best_gain = tf.maximum(gain, best_gain)
        return best

    def _climb(self, model, x, y, seed, restart, epsilon, low, high, step_size,
               num_steps):
        found = x
        if self.random_start:
            # Steps count from zero, so the start has a stream of its own.
            key = noise.key(seed, noise.ATTACK, restart, -1)
            offset = 2.0 * noise.uniform(tf.shape(x), key) - 1.0
            found = self.project(x + epsilon * offset, x, epsilon, low, high)
        for step in tf.range(num_steps):
            key = noise.key(seed, noise.ATTACK, restart, step)
            ascent = tf.sign(self.gradient(model, found, y, key))
            found = self.project(found + step_size * ascent, x, epsilon, low, high)
        return found
