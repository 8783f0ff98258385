"""Divergence from what the model says of the input before the attack.

    loss = KL(softmax(clean) || softmax(scores))

It needs no label, and is what TRADES climbs. At the input itself it is zero and
flat: an attack that climbs it must start somewhere else.

Reference: Zhang et al., Theoretically Principled Trade-off between Robustness and
Accuracy, ICML 2019.
"""

import tensorflow as tf

from bdlzoo.attacks.attack_loss import AttackLoss
from bdlzoo.core import registry


@registry.register
class DivergenceLoss(AttackLoss):
    """Rises as the prediction moves, whatever the class."""

    needs_clean = True
    has_target = False

    def __call__(self, scores, labels, clean=None):
        before, after = tf.nn.log_softmax(clean), tf.nn.log_softmax(scores)
        return tf.reduce_sum(tf.exp(before) * (before - after), axis=-1)
