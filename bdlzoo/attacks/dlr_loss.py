"""Difference of logits, by their range: a margin that no scale of scores changes.

    loss = -(scores_y - max over j != y of scores_j) / (scores_(1) - scores_(3))

with the scores in falling order below the line. A network whose logits were blown
up or shrunk has the same loss, hence gradients that neither vanish nor explode.

Reference: Croce and Hein, Reliable Evaluation of Adversarial Robustness with an
Ensemble of Diverse Parameter-free Attacks, ICML 2020.
"""

import tensorflow as tf

from bdlzoo.attacks.attack_loss import AttackLoss, margin
from bdlzoo.core import registry


@registry.register
class DLRLoss(AttackLoss):
    """Rises as another class passes the own one, at most to 1."""

    def __call__(self, scores, labels, clean=None):
        if scores.shape[-1] < 3:
            raise ValueError(
                "Expected three classes or more, whose range divides the margin; take "
                f"`MarginLoss` for two. Received: scores.shape={scores.shape}")
        top = tf.math.top_k(scores, 3).values
        # Three equal scores: zero by a little more than zero.
        return -margin(scores, labels) / (top[:, 0] - top[:, 2] + 1e-12)
