"""Uniform noise: an attack that knows nothing.

    x' ~ U(what the ball around x and the box share)

The control of every attack. A ball of the width of the box leaves nothing of the
input: pixels are uniform in `[low, high]`.
"""

import tensorflow as tf

from bdlzoo.attacks.attack import Attack
from bdlzoo.core import noise, registry


@registry.register
class UniformNoise(Attack):
    """Moves inputs at random, whatever the model.

    Args:
        epsilon: Float, radius of the ball.
        **kwargs: See `Attack`.

    Example:

    ```python
    x_noisy = UniformNoise(epsilon=0.1)(model, x, y, seed=0)
    ```
    """

    needs_gradient = False

    def __init__(self, epsilon=1.0, **kwargs):
        super().__init__(epsilon, **kwargs)
        self.check_settings()

    def perturb(self, model, x, y, seed, epsilon, low, high):
        del model, y
        least, most = (self.project(x + step, x, epsilon, low, high)
                       for step in (-epsilon, epsilon))
        key = noise.key(seed, noise.ATTACK, 0, -1)
        return least + (most - least) * noise.uniform(tf.shape(x), key)
