"""Margin loss of Carlini and Wagner, with a hinge.

    margin = scores_y - max over j != y of scores_j
    loss   = -max(margin + hinge, 0)

It has a gradient where the softmax is saturated. With a hinge of 50, as in the released
code, the loss is practically always the negative margin. For a target the margin has
the opposite sign inside the hinge.

Reference: Carlini and Wagner, Towards Evaluating the Robustness of Neural Networks,
S&P 2017.
"""

import tensorflow as tf

from bdlzoo.attacks.attack_loss import AttackLoss, margin
from bdlzoo.core import registry


@registry.register
class MarginLoss(AttackLoss):
    """Computes minus the margin of a class, up to a hinge.

    Args:
        hinge: Float, margin of another class beyond which the loss is constant.

    Example:

    ```python
    attack = PGD(epsilon=0.1, step_size=0.02, num_steps=20, loss=MarginLoss(10.0))
    ```
    """

    def __init__(self, hinge=50.0):
        self.hinge = hinge

    def __call__(self, scores, labels, clean=None):
        return -tf.nn.relu(margin(scores, labels) + self.hinge)

    def gain(self, scores, labels, clean=None, targeted=False):
        if targeted:
            return -tf.nn.relu(self.hinge - margin(scores, labels))
        return self(scores, labels, clean)
