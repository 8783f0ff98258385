"""Difference of logits ratio (DLR): a margin that does not depend on the scale.

    loss = -(scores_y - max over j != y of scores_j) / (scores_(1) - scores_(3))

In the denominator scores are in falling order. A network with larger or smaller logits
has the same loss, so that gradients neither vanish nor explode.

Reference: Croce and Hein, Reliable Evaluation of Adversarial Robustness with an
Ensemble of Diverse Parameter-free Attacks, ICML 2020.
"""

import tensorflow as tf

from bdlzoo.attacks.attack_loss import AttackLoss, margin
from bdlzoo.core import registry


@registry.register
class DLRLoss(AttackLoss):
    """Computes minus the margin of a class, divided by the range of the scores.

    It has no arguments. The loss is at most 1.

    Example:

    ```python
    attack = PGD(epsilon=0.1, step_size=0.02, num_steps=20, loss=DLRLoss())
    ```
    """

    def __call__(self, scores, labels, clean=None):
        if scores.shape[-1] < 3:
            raise ValueError(
                "Expected three classes or more; use `MarginLoss` for two. Received: "
                f"scores.shape={scores.shape}")
        top = tf.math.top_k(scores, 3).values
        # With three equal scores the loss is 0 and not 0 / 0.
        return -margin(scores, labels) / (top[:, 0] - top[:, 2] + 1e-12)
