"""Cross entropy, the loss that most attacks climb.

    loss = -log softmax(scores)_y
"""

import tensorflow as tf

from bdlzoo.attacks.attack_loss import AttackLoss
from bdlzoo.core import registry


@registry.register
class CrossEntropyLoss(AttackLoss):
    """Rises as the log probability of the classes falls."""

    def __call__(self, scores, labels, clean=None):
        # From scores in one go: the log of a softmax loses what is saturated.
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, scores)
