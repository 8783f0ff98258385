"""Momentum iterative method.

    g_{t+1} = mu * g_t + grad gain(x_t) / mean |grad gain(x_t)|
    x_{t+1} = project(x_t + step_size * sign(g_{t+1}))

From a random start, as PGD. The mean is over the pixels of an image; the published
sum would change no sign.

Reference: Dong et al., Boosting Adversarial Attacks with Momentum, CVPR 2018.
"""

import tensorflow as tf

from bdlzoo.attacks.step_attack import StepAttack
from bdlzoo.core import registry


@registry.register
class MIM(StepAttack):
    """Attacks with signed steps along the gradients of all steps so far.

    Args:
        epsilon: Float, radius of the ball.
        step_size: Float, length of a step.
        num_steps: Integer, steps of every start.
        mu: Float, what is left of a gradient one step later.
        **kwargs: See `StepAttack`.

    Example:

    ```python
    attack = MIM(epsilon=8 / 255, step_size=2 / 255, num_steps=20)
    x_adv = attack(model, x, y, seed=0)
    ```
    """

    def __init__(self, epsilon, step_size, num_steps, mu=1.0, **kwargs):
        super().__init__(epsilon, step_size, num_steps, **kwargs)
        self.mu = mu
        self.check_settings()

    def settings(self):
        return {**super().settings(), "mu": float(self.mu)}

    def check_settings(self):
        super().check_settings()
        if not 0 <= self.mu < float("inf"):
            raise ValueError("Expected a finite momentum, zero or more. "
                             f"Received: mu={self.mu}")

    def memory(self, x):
        return tf.zeros_like(x)

    def ascent(self, gradient, memory, mu):
        size = tf.reduce_mean(abs(gradient), axis=list(range(1, len(gradient.shape))),
                              keepdims=True)
        # A row without a gradient goes on as it went.
        memory = mu * memory + tf.math.divide_no_nan(gradient, size)
        return tf.sign(memory), memory
