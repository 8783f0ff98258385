"""Simultaneous perturbation stochastic approximation: an attack by queries alone.

    v_i     ~ {-1, 1}^D                                          Rademacher
    slope   = mean_i (gain(x_t + scale * v_i) - gain(x_t - scale * v_i))
              / (2 * scale) * v_i
    x_{t+1} = project(x_t + step_size * Adam(slope))

The gain is the margin. No gradient is asked for: a model that hides or breaks its
gradients is not safe from it. Both ends of a direction see the same draws of a
posterior. Directions are tried in parts, so that memory does not grow with them.

Reference: Uesato et al., Adversarial Risk and the Dangers of Evaluating Against Weak
Attacks, ICML 2018.
"""

import tensorflow as tf

from bdlzoo.attacks.step_attack import StepAttack
from bdlzoo.core import noise, registry


@registry.register
class SPSA(StepAttack):
    """Attacks with slopes that are estimated along random signs.

    Args:
        epsilon: Float, radius of the ball.
        step_size: Float, learning rate of Adam.
        num_steps: Integer, its steps.
        num_queries: Even integer, outputs of the model that a slope is made of.
        scale: Float, how far queries are from the input, a pixel.
        max_rows: Integer, rows that the model sees at once; two for each input at
            least.
        random_start: See `StepAttack`.
        loss: See `Attack`.
        **kwargs: See `StepAttack`.

    Example:

    ```python
    x_adv = SPSA(epsilon=8 / 255, num_queries=2048)(model, x, y, seed=0)
    ```
    """

    needs_gradient = False

    def __init__(self, epsilon, step_size=0.01, num_steps=100, num_queries=256,
                 scale=1e-3, max_rows=2048, random_start=False, loss="MarginLoss",
                 **kwargs):
        super().__init__(epsilon, step_size, num_steps, random_start=random_start,
                         loss=loss, **kwargs)
        self.num_queries = num_queries
        self.scale = scale
        self.max_rows = max_rows
        self.check_settings()

    def check_settings(self):
        super().check_settings()
        if self.num_queries < 2 or self.num_queries % 2:
            raise ValueError("Expected an even number of queries, two for a direction. "
                             f"Received: num_queries={self.num_queries}")
        if not 0 < self.scale < float("inf"):
            raise ValueError("Expected a finite scale above zero. "
                             f"Received: scale={self.scale}")
        if self.max_rows < 2:
            raise ValueError("Expected two rows or more. "
                             f"Received: max_rows={self.max_rows}")

    def gradient(self, model, x, y, key, clean=None):
        pairs, slope = self.num_queries // 2, tf.zeros_like(x)
        at_once = tf.clip_by_value(
            self.max_rows // tf.maximum(2 * tf.shape(x)[0], 1), 1, pairs)
        for first in tf.range(0, pairs, at_once):
            count = tf.minimum(at_once, pairs - first)
            slope += self._slopes(model, x, y, key, clean, first, count)
        return slope / float(pairs)

    def _slopes(self, model, x, y, key, clean, first, count):
        """Sum of the slopes along some directions, the `first` and the next."""
        shape = tf.concat([[count], tf.shape(x)], axis=0)
        signs = noise.signs(shape, noise.fold_in(key, first))  # [P, B, ...]
        queries = x + self.scale * tf.concat([signs, -signs], axis=0)
        if clean is not None:
            clean = tf.tile(clean, [2 * count, 1])
        gain = self.gain(model, tf.reshape(queries, tf.concat([[-1], shape[2:]], 0)),
                         tf.tile(y, [2 * count]), key, clean)
        ahead, behind = tf.unstack(tf.reshape(gain, tf.stack([2, -1, shape[1]])))
        slopes = (ahead - behind) / (2.0 * self.scale)  # [P, B]
        return tf.reduce_sum(signs * tf.reshape(
            slopes, tf.concat([shape[:2], tf.ones_like(shape[2:])], 0)), axis=0)

    def memory(self, x):
        return tf.zeros_like(x), tf.zeros_like(x), 0.0

    def ascent(self, gradient, memory):
        """A step of Adam; a Keras optimizer would own variables."""
        mean, square, count = memory
        count += 1.0
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        step = (mean / (1.0 - 0.9**count)) / (
            tf.sqrt(square / (1.0 - 0.999**count)) + 1e-8)
        return step, (mean, square, count)
