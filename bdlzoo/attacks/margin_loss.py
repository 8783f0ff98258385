"""Margin of Carlini and Wagner, as a hinge.

    margin = scores_y - max over j != y of scores_j
    loss   = -max(margin + hinge, 0)

It does not fade where the softmax is saturated. With 50, as released, the hinge
practically never lets go, and the loss is the negative margin. For a target the
margin has the other sign inside the hinge.

Reference: Carlini and Wagner, Towards Evaluating the Robustness of Neural Networks,
S&P 2017.
"""

import tensorflow as tf

from bdlzoo.attacks.attack_loss import AttackLoss, margin
from bdlzoo.core import registry


@registry.register
class MarginLoss(AttackLoss):
    """Rises as another class comes close to the own one, and passes it.

    Args:
        hinge: Float, margin by which another class must be ahead for the loss to
            let go.
    """

    def __init__(self, hinge=50.0):
        self.hinge = hinge

    def __call__(self, scores, labels, clean=None):
        return -tf.nn.relu(margin(scores, labels) + self.hinge)

    def gain(self, scores, labels, clean=None, targeted=False):
        if targeted:
            return -tf.nn.relu(self.hinge - margin(scores, labels))
        return self(scores, labels, clean)
