"""Fast gradient sign method.

    x_adv = project(x + epsilon * sign(grad gain(x)))

One step to a corner of the ball, which is the best attack on a linear model.

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
    x_adv = FGSM(epsilon=0.1)(model, x, y, seed=0)
    ```
    """

    def __init__(self, epsilon, low=0.0, high=1.0, targeted=False, num_samples=1,
                 from_logits=True, evasion=0.0, loss="CrossEntropyLoss",
                 jit_compile=False):
        super().__init__(epsilon, low, high, targeted, num_samples, from_logits,
                         evasion, loss, jit_compile)
        self.check_settings()

    def perturb(self, model, x, y, seed, epsilon, low, high):
        key = noise.key(seed, noise.ATTACK, 0, 0)
        clean = self.clean_scores(model, x, seed)
        step = epsilon * tf.sign(self.gradient(model, x, y, key, clean))
        return self.project(x + step, x, epsilon, low, high)
