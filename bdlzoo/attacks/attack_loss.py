"""What an attack climbs: a loss of class scores, exchangeable between attacks.

    scores = logits of a network, or log of the mean over draws of p(class | x, w_s)

A constant, added to all scores of an input, changes no loss: both kinds of scores
are attacked alike.
"""

import tensorflow as tf


class AttackLoss:
    """Rises as inputs leave their classes.

    A subclass writes `__call__`.

    Call arguments:
        scores: Float tensor `[B, C]`.
        labels: Integer classes `[B]`.
        clean: Scores `[B, C]` of the inputs before the attack, where `needs_clean`.

    Returns:
        Float tensor `[B]`, or a scalar for a loss of the whole batch.
    """

    needs_clean = False  # Whether it compares with the scores before the attack.
    has_target = True  # Whether it can lead inputs to a class.

    def __call__(self, scores, labels, clean=None):
        raise NotImplementedError

    def gain(self, scores, labels, clean=None, targeted=False):
        """What is climbed: the loss, or minus that of the target."""
        loss = self(scores, labels, clean)
        return -loss if targeted else loss


def margin(scores, labels):
    """Score of a class above the best other one, `[B]`; negative where it lost."""
    own = tf.one_hot(labels, tf.shape(scores)[-1], on_value=True, off_value=False,
                     dtype=tf.bool)
    others = tf.where(own, scores.dtype.min, scores)
    return (tf.gather(scores, labels, batch_dims=1)
            - tf.reduce_max(others, axis=-1))
