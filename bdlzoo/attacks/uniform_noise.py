"""Uniform noise, an attack without knowledge of the model.

    x' ~ U(intersection of the ball around x and the box)

It is the control experiment for attacks. With a radius of `high - low` pixels are
uniform in `[low, high]`, and do not depend on the input.
"""

import tensorflow as tf

from bdlzoo.attacks.attack import Attack
from bdlzoo.core import noise, registry


@registry.register
class UniformNoise(Attack):
    """Moves inputs at random.

    Args:
        epsilon: Float, radius of the ball.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.
        from_logits: Bool, whether a plain Keras model returns logits; `False` means
            probabilities. For a zoo model it has no effect.
        jit_compile: Bool, whether XLA compiles the attack, once for each batch size.
            On a CPU this makes convolutions slower.

    Example:

    ```python
    x_noisy = UniformNoise(epsilon=0.1)(model, x, y, seed=0)
    ```
    """

    needs_gradient = False

    def __init__(self, epsilon=1.0, low=0.0, high=1.0, from_logits=True,
                 jit_compile=False):
        super().__init__(epsilon, low, high, from_logits=from_logits,
                         jit_compile=jit_compile)
        self.check_settings()

    def perturb(self, model, x, y, seed, epsilon, low, high):
        del model, y
        least, most = (self.project(x + step, x, epsilon, low, high)
                       for step in (-epsilon, epsilon))
        key = noise.key(seed, noise.ATTACK, 0, -1)
        return least + (most - least) * noise.uniform(tf.shape(x), key)
