"""Base class of attacks that take several steps.

    x_0     = project(x + epsilon * U(-1, 1)), or x itself
    x_{t+1} = project(x_t + step_size * ascent(grad gain(x_t)))

Every step has new draws of the posterior. Restarts begin at other points of the ball,
and each row keeps the result with the highest gain.
"""

import tensorflow as tf

from bdlzoo.attacks.attack import Attack
from bdlzoo.core import noise


class StepAttack(Attack):
    """Takes several steps of the same length.

    A subclass may write `ascent`, and `memory` if a step depends on earlier ones.

    Args:
        epsilon: Float, radius of the ball.
        step_size: Float, length of a step.
        num_steps: Integer, number of steps from every start.
        random_start: Bool, whether to start at a random point of the ball, and not at
            the input.
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
        loss: `AttackLoss` that the attack raises, or its spec: `"CrossEntropyLoss"`,
            `"MarginLoss"`, `"DLRLoss"`, `"DivergenceLoss"` or `"TransportLoss"`.
        jit_compile: Bool, whether XLA compiles the attack, once for each batch size.
            On a CPU this makes convolutions slower.

    Call arguments:
        model: Keras classifier, or zoo model with `draw` and `likelihood`.
        x: Inputs `[B, ...]` inside `[low, high]`.
        y: Integer classes `[B]`.
        seed: Integer or pair of integers.

    Returns:
        Tensor like `x`, the attacked inputs.

    Example:

    ```python
    x_adv = StepAttack(0.1, step_size=0.02, num_steps=20)(model, x, y, seed=0)
    ```
    """

    def __init__(self, epsilon, step_size, num_steps, random_start=True, num_restarts=1,
                 start_scale=None, low=0.0, high=1.0, targeted=False, num_samples=1,
                 from_logits=True, evasion=0.0, loss="CrossEntropyLoss",
                 jit_compile=False):
        super().__init__(epsilon, low, high, targeted, num_samples, from_logits,
                         evasion, loss, jit_compile)
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
            raise ValueError("Expected at least one step. "
                             f"Received: num_steps={self.num_steps}")
        if self.num_restarts < 1:
            raise ValueError("Expected at least one start. "
                             f"Received: num_restarts={self.num_restarts}")
        if self.start_scale is not None and not self.start_scale > 0:
            raise ValueError("Expected a scale above zero, or `None`. "
                             f"Received: start_scale={self.start_scale}")

    def memory(self, x):
        """Tensors that a step passes to the next one; none here."""
        del x
        return ()

    def ascent(self, gradient, memory):
        """Direction of a step, and the tensors for the next step."""
        return tf.sign(gradient), memory

    def perturb(self, model, x, y, seed, **settings):
        clean = self.clean_scores(model, x, seed)
        best = self.climb(model, x, y, seed, 0, clean, **settings)
        if self.num_restarts > 1:
            # All starts are compared on the same draws, which no step has used.
            judge = noise.key(seed, noise.ATTACK, -1, 0)
            best_worth = self.worth(model, best, y, judge, clean)
            for restart in tf.range(1, self.num_restarts):
                found = self.climb(model, x, y, seed, restart, clean, **settings)
                worth = self.worth(model, found, y, judge, clean)
                more = is_better(worth, best_worth)
                better = tf.reshape(more, [-1] + [1] * (len(x.shape) - 1))
                best = tf.where(better, found, best)
                best_worth = tuple(tf.where(more, new, old)
                                   for new, old in zip(worth, best_worth))
        return best

    def worth(self, model, x, y, key, clean):
        """Pair `[B]` by which starts are compared: success, which is not used here,
        and then the gain.
        """
        gain = self.gain(model, x, y, key, clean)
        return tf.zeros_like(gain, tf.bool), gain

    def start(self, x, key, epsilon, low, high):
        """Inputs at which the steps begin."""
        if not self.random_start:
            return x
        if self.start_scale is None:
            offset = epsilon * (2.0 * noise.uniform(tf.shape(x), key) - 1.0)
        else:
            offset = self.start_scale * noise.normal(tf.shape(x), key)
        return self.project(x + offset, x, epsilon, low, high)

    def climb(self, model, x, y, seed, restart, clean, epsilon, low, high, step_size,
              num_steps, **rest):
        """Inputs at the end of the steps from one start."""
        # Steps count from 0, so that -1 is the stream of the start.
        key = noise.key(seed, noise.ATTACK, restart, -1)
        found, memory = self.start(x, key, epsilon, low, high), self.memory(x)
        for step in tf.range(num_steps):
            key = noise.key(seed, noise.ATTACK, restart, step)
            gradient = self.gradient(model, found, y, key, clean)
            ascent, memory = self.ascent(gradient, memory, **rest)
            found = self.project(found + step_size * ascent, x, epsilon, low, high)
        return found


def is_better(worth, other):
    """Rows `[B]` in which a pair of success and gain is above another one."""
    (reached, gain), (other_reached, other_gain) = worth, other
    return tf.where(reached == other_reached, gain > other_gain, reached)
