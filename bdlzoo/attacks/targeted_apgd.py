"""Auto-PGD towards each of the most probable other classes.

    target_r = the class with the r-th highest score at the input, without its own
    gain     = scores_target - scores_y

Each target has a start of its own. A row keeps a point that is misclassified, if there
is one. Attacks without a target often stop at the boundary of one class while
that of another is nearer. Signs of the gradient of this gain do not depend on the scale
of the scores.

Reference: Croce and Hein, Reliable Evaluation of Adversarial Robustness with an
Ensemble of Diverse Parameter-free Attacks, ICML 2020 (whose gain is divided by a range
of scores).
"""

import tensorflow as tf

from bdlzoo.attacks.apgd import APGD
from bdlzoo.attacks.attack_loss import AttackLoss
from bdlzoo.core import registry


class _Towards(AttackLoss):
    """Score of a target minus that of the class; `clean` is one-hot in the target."""

    needs_clean = True
    has_target = False

    def __call__(self, scores, labels, clean=None):
        return (tf.reduce_sum(scores * clean, axis=-1)
                - tf.gather(scores, labels, batch_dims=1))


@registry.register
class TargetedAPGD(APGD):
    """Attacks a row once for each of several other classes.

    Args:
        epsilon: Float, radius of the ball.
        num_steps: Integer, number of steps towards every target.
        num_targets: Integer, number of targets. If there are fewer other classes, they
            have several starts.
        random_start: Bool, whether to start at random points of the ball, and not at
            the input.
        start_scale: Float, standard deviation of normal starts around the input;
            `None` for uniform starts in the ball.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.
        num_samples: Integer, draws of a zoo model in every gradient. A plain Keras
            model has no draws.
        from_logits: Bool, whether a plain Keras model returns logits; `False` means
            probabilities. For a zoo model it has no effect.
        evasion: Float, weight of the mutual information of the draws, which the attack
            lowers.
        jit_compile: Bool, whether XLA compiles the attack, once for each batch size.
            On a CPU this makes convolutions slower.

    Example:

    ```python
    x_adv = TargetedAPGD(epsilon=8 / 255)(model, x, y, seed=0)
    ```
    """

    def __init__(self, epsilon, num_steps=100, num_targets=9, random_start=True,
                 start_scale=None, low=0.0, high=1.0, num_samples=1, from_logits=True,
                 evasion=0.0, jit_compile=False):
        super().__init__(epsilon, num_steps, random_start, num_targets, start_scale,
                         low, high, False, num_samples, from_logits, evasion,
                         jit_compile=jit_compile)
        self.num_targets = num_targets
        self.loss = _Towards()
        self.check_settings()

    def worth(self, model, x, y, key, clean):
        # All targets are compared by the same class, that of the highest score.
        return super().worth(model, x, y, key, self._target(clean, y, 0))

    def climb(self, model, x, y, seed, restart, clean, **settings):
        return super().climb(model, x, y, seed, restart,
                             self._target(clean, y, restart), **settings)

    @staticmethod
    def _target(clean, y, rank):
        """One-hot rows `[B, C]` of the other class with a rank, from 0."""
        count = clean.shape[-1]
        own = tf.one_hot(y, count, on_value=True, off_value=False, dtype=tf.bool)
        order = tf.argsort(tf.where(own, clean.dtype.min, clean),
                           direction="DESCENDING")
        return tf.one_hot(tf.gather(order, rank % (count - 1), axis=1), count)
