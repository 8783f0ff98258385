"""Cross entropy, the loss of most attacks.

    loss = -log softmax(scores)_y
"""

import tensorflow as tf

from bdlzoo.attacks.attack_loss import AttackLoss
from bdlzoo.core import registry


@registry.register
class CrossEntropyLoss(AttackLoss):
    """Computes minus the log probability of the classes.

    It has no arguments.

    Example:

    ```python
    attack = PGD(epsilon=0.1, step_size=0.02, num_steps=20, loss=CrossEntropyLoss())
    ```
    """

    def __call__(self, scores, labels, clean=None):
        # From scores directly, because the log of a softmax may be infinite.
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, scores)
