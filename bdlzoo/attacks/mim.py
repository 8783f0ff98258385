"""Momentum iterative method.

    g_{t+1} = mu * g_t + grad gain(x_t) / mean |grad gain(x_t)|
    x_{t+1} = project(x_t + step_size * sign(g_{t+1}))

The start is random, as in PGD. The mean is over the pixels of an image; the published
sum gives the same signs.

Reference: Dong et al., Boosting Adversarial Attacks with Momentum, CVPR 2018.
"""

import tensorflow as tf

from bdlzoo.attacks.step_attack import StepAttack
from bdlzoo.core import registry


@registry.register
class MIM(StepAttack):
    """Attacks with signed steps along a running sum of gradients.

    Args:
        epsilon: Float, radius of the ball.
        step_size: Float, length of a step.
        num_steps: Integer, number of steps from every start.
        mu: Float, factor of the old sum in every step.
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

    Example:

    ```python
    attack = MIM(epsilon=8 / 255, step_size=2 / 255, num_steps=20)
    x_adv = attack(model, x, y, seed=0)
    ```
    """

    def __init__(self, epsilon, step_size, num_steps, mu=1.0, random_start=True,
                 num_restarts=1, start_scale=None, low=0.0, high=1.0, targeted=False,
                 num_samples=1, from_logits=True, evasion=0.0, loss="CrossEntropyLoss",
                 jit_compile=False):
        super().__init__(epsilon, step_size, num_steps, random_start, num_restarts,
                         start_scale, low, high, targeted, num_samples, from_logits,
                         evasion, loss, jit_compile)
        self.mu = mu
        self.check_settings()

    def settings(self):
        return {**super().settings(), "mu": float(self.mu)}

    def check_settings(self):
        super().check_settings()
        if not 0 <= self.mu < float("inf"):
            raise ValueError("Expected a finite momentum of at least 0. "
                             f"Received: mu={self.mu}")

    def memory(self, x):
        return tf.zeros_like(x)

    def ascent(self, gradient, memory, mu):
        size = tf.reduce_mean(abs(gradient), axis=list(range(1, len(gradient.shape))),
                              keepdims=True)
        # A row without a gradient keeps its direction.
        memory = mu * memory + tf.math.divide_no_nan(gradient, size)
        return tf.sign(memory), memory
