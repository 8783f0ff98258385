"""Fast gradient sign method.

    x_adv = project(x + epsilon * sign(grad gain(x)))

One step to a corner of the ball; on a linear model there is no better one.

Reference: Goodfellow et al., Explaining and Harnessing Adversarial Examples,
ICLR 2015.
"""

import tensorflow as tf

from bdlzoo.attacks.attack import Attack
from bdlzoo.core import noise, registry


@registry.register
class FGSM(Attack):
    """Attacks with one signed gradient step.

    Args:
        epsilon: Float, radius of the ball and length of the step.
        **kwargs: See `Attack`.

    Example:

    ```python
    x_adv = FGSM(epsilon=0.1)(model, x, y, seed=0)
    ```
    """

    def __init__(self, epsilon, **kwargs):
        super().__init__(epsilon, **kwargs)
        self.check_settings()

    def perturb(self, model, x, y, seed, epsilon, low, high):
        key = noise.key(seed, noise.ATTACK, 0, 0)
        clean = self.clean_scores(model, x, seed)
        step = epsilon * tf.sign(self.gradient(model, x, y, key, clean))
        return self.project(x + step, x, epsilon, low, high)
