"""Divergence from the prediction before the attack.

    loss = KL(softmax(clean) || softmax(scores))

It needs no label, and is the loss of TRADES. At the input itself the loss and its
gradient are zero, so an attack with this loss must start at another point.

Reference: Zhang et al., Theoretically Principled Trade-off between Robustness and
Accuracy, ICML 2019.
"""

import tensorflow as tf

from bdlzoo.attacks.attack_loss import AttackLoss
from bdlzoo.core import registry


@registry.register
class DivergenceLoss(AttackLoss):
    """Computes how far the prediction has changed, for any class.

    It has no arguments.

    Example:

    ```python
    attack = PGD(epsilon=0.3, step_size=0.01, num_steps=40, start_scale=0.001,
                 loss=DivergenceLoss())
    ```
    """

    needs_clean = True
    has_target = False

    def __call__(self, scores, labels, clean=None):
        before, after = tf.nn.log_softmax(clean), tf.nn.log_softmax(scores)
        return tf.reduce_sum(tf.exp(before) * (before - after), axis=-1)
