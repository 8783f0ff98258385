"""Base class of the losses that attacks raise.

    scores = logits of a network, or log of the mean over draws of p(class | x, w_s)

A constant that is added to all scores of an input changes no loss, so that both kinds
of scores can be attacked.
"""

import tensorflow as tf


class AttackLoss:
    """Computes a loss of class scores that rises as inputs leave their classes.

    It has no arguments. A subclass writes `__call__`.

    Call arguments:
        scores: Float tensor `[B, C]`.
        labels: Integer classes `[B]`.
        clean: Scores `[B, C]` of the inputs before the attack, if `needs_clean`.

    Returns:
        Float tensor `[B]`, or a scalar for a loss of the whole batch.
    """

    needs_clean = False  # Whether it compares with the scores before the attack.
    has_target = True  # Whether it can be used to reach a class.

    def __call__(self, scores, labels, clean=None):
        raise NotImplementedError

    def gain(self, scores, labels, clean=None, targeted=False):
        """The quantity to raise: the loss, or minus the loss of the target."""
        loss = self(scores, labels, clean)
        return -loss if targeted else loss


def margin(scores, labels):
    """Score of a class minus the best other score, `[B]`."""
    own = tf.one_hot(labels, tf.shape(scores)[-1], on_value=True, off_value=False,
                     dtype=tf.bool)
    others = tf.where(own, scores.dtype.min, scores)
    return (tf.gather(scores, labels, batch_dims=1)
            - tf.reduce_max(others, axis=-1))
