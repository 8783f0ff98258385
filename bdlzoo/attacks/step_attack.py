"""The one loop of all attacks that take steps.

    x_0     = project(x + epsilon * U(-1, 1)), or x itself
    x_{t+1} = project(x_t + step_size * ascent(grad gain(x_t)))

The posterior is drawn anew in every step. Restarts begin elsewhere in the ball, and
each row keeps the one that gained most.
"""

import tensorflow as tf

from bdlzoo.attacks.attack import Attack
from bdlzoo.core import noise


class StepAttack(Attack):
    """An attack that takes steps of one length.

    A subclass may write `ascent`, and `memory` where it looks back.

    Args:
        epsilon: See `Attack`.
        step_size: Float, length of a step.
        num_steps: Integer, steps of every start.
        random_start: Boolean, whether to start anywhere in the ball, or at `x`.
        num_restarts: Integer, number of starts.
        start_scale: Float, standard deviation of normal starts around `x`; `None`
            for uniform ones in the ball.
        **kwargs: See `Attack`.
    """

    def __init__(self, epsilon, step_size, num_steps, random_start=True,
                 num_restarts=1, start_scale=None, **kwargs):
        super().__init__(epsilon, **kwargs)
        self.step_size = step_size
        self.num_steps = num_steps
        self.random_start = random_start
        self.num_restarts = num_restarts
        self.start_scale = start_scale

    def settings(self):
        return {**super().settings(), "step_size": float(self.step_size),
                "num_steps": int(self.num_steps)}

    def check_settings(self):
        super().check_settings()
        if not 0 < self.step_size < float("inf"):
            raise ValueError("Expected a finite step above zero. "
                             f"Received: step_size={self.step_size}")
        if self.num_steps < 1:
            raise ValueError("Expected one step or more. "
                             f"Received: num_steps={self.num_steps}")
        if self.num_restarts < 1:
            raise ValueError("Expected one start or more. "
                             f"Received: num_restarts={self.num_restarts}")
        if self.start_scale is not None and not self.start_scale > 0:
            raise ValueError("Expected a scale above zero, or `None`. "
                             f"Received: start_scale={self.start_scale}")

    def memory(self, x):
        """What a step leaves to the next: tensors, none here."""
        del x
        return ()

    def ascent(self, gradient, memory):
        """Direction of a step, and what it leaves to the next."""
        return tf.sign(gradient), memory

    def perturb(self, model, x, y, seed, **settings):
        clean = self.clean_scores(model, x, seed)
        best = self._climb(model, x, y, seed, 0, clean, **settings)
        if self.num_restarts > 1:
            # One set of draws judges all starts, and belongs to none of them.
            judge = noise.key(seed, noise.ATTACK, -1, 0)
            best_gain = self.gain(model, best, y, judge, clean)
            for restart in tf.range(1, self.num_restarts):
                found = self._climb(model, x, y, seed, restart, clean, **settings)
                gain = self.gain(model, found, y, judge, clean)
                better = tf.reshape(
                    gain > best_gain, [-1] + [1] * (len(x.shape) - 1))
                best = tf.where(better, found, best)
                best_gain = tf.maximum(gain, best_gain)
        return best

    def start(self, x, key, epsilon, low, high):
        """Where an attack begins."""
        if not self.random_start:
            return x
        if self.start_scale is None:
            offset = epsilon * (2.0 * noise.uniform(tf.shape(x), key) - 1.0)
        else:
            offset = self.start_scale * noise.normal(tf.shape(x), key)
        return self.project(x + offset, x, epsilon, low, high)

    def _climb(self, model, x, y, seed, restart, clean, epsilon, low, high, step_size,
               num_steps, **rest):
        # Steps count from zero, so the start has a stream of its own.
        key = noise.key(seed, noise.ATTACK, restart, -1)
        found, memory = self.start(x, key, epsilon, low, high), self.memory(x)
        for step in tf.range(num_steps):
            key = noise.key(seed, noise.ATTACK, restart, step)
            gradient = self.gradient(model, found, y, key, clean)
            ascent, memory = self.ascent(gradient, memory, **rest)
            found = self.project(found + step_size * ascent, x, epsilon, low, high)
        return found
