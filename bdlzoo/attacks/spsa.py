"""Simultaneous perturbation stochastic approximation (SPSA), without gradients.

    v_i     ~ {-1, 1}^D                                          Rademacher
    slope   = mean_i (gain(x_t + scale * v_i) - gain(x_t - scale * v_i))
              / (2 * scale) * v_i
    x_{t+1} = project(x_t + step_size * Adam(slope))

The gain is the margin. The attack needs no gradient, so it also works on models that
hide or break their gradients. Both ends of a direction have the same draws of a
posterior. Directions are tried in parts, so that memory does not grow with their
number.

Reference: Uesato et al., Adversarial Risk and the Dangers of Evaluating Against Weak
Attacks, ICML 2018.
"""

import tensorflow as tf

from bdlzoo.attacks.step_attack import StepAttack
from bdlzoo.core import noise, registry


@registry.register
class SPSA(StepAttack):
    """Attacks with slopes that are estimated along random directions.

    Args:
        epsilon: Float, radius of the ball.
        step_size: Float, learning rate of Adam.
        num_steps: Integer, number of steps of Adam.
        num_queries: Even integer, number of model outputs for each slope.
        scale: Float, distance of queries from the input in every pixel.
        max_rows: Integer, largest number of rows in a call of the model, but at least
            two for each input.
        random_start: Bool, whether to start at a random point of the ball, and not at
            the input.
        loss: `AttackLoss` that the attack raises, or its spec: `"CrossEntropyLoss"`,
            `"MarginLoss"`, `"DLRLoss"`, `"DivergenceLoss"` or `"TransportLoss"`.
        num_restarts: Integer, number of starts; each row keeps the best one.
        start_scale: Float, standard deviation of normal starts around the input;
            `None` for uniform starts in the ball.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.
        targeted: Bool, whether `y` are the classes that the attack should reach.
        num_samples: Integer, draws of a zoo model in every gradient. A plain Keras
            model has no draws.
        from_logits: Bool, whether a plain Keras model returns logits; `False` means
            probabilities. For a zoo model it has no effect.
        evasion: Float, weight of the mutual information of the draws, which the attack
            lowers.
        jit_compile: Bool, whether XLA compiles the attack, once for each batch size.
            On a CPU this makes convolutions slower.

    Example:

    ```python
    x_adv = SPSA(epsilon=8 / 255, num_queries=2048)(model, x, y, seed=0)
    ```
    """

    needs_gradient = False

    def __init__(self, epsilon, step_size=0.01, num_steps=100, num_queries=256,
                 scale=1e-3, max_rows=2048, random_start=False, loss="MarginLoss",
                 num_restarts=1, start_scale=None, low=0.0, high=1.0, targeted=False,
                 num_samples=1, from_logits=True, evasion=0.0, jit_compile=False):
        super().__init__(epsilon, step_size, num_steps, random_start, num_restarts,
                         start_scale, low, high, targeted, num_samples, from_logits,
                         evasion, loss, jit_compile)
        self.num_queries = num_queries
        self.scale = scale
        self.max_rows = max_rows
        self.check_settings()

    def check_settings(self):
        super().check_settings()
        if self.num_queries < 2 or self.num_queries % 2:
            raise ValueError("Expected an even number of queries, at least 2. "
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
        """Sum of the slopes along `count` directions, from number `first` on."""
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
        """A step of Adam, without the variables of a Keras optimizer."""
        mean, square, count = memory
        count += 1.0
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        step = (mean / (1.0 - 0.9**count)) / (
            tf.sqrt(square / (1.0 - 0.999**count)) + 1e-8)
        return step, (mean, square, count)
