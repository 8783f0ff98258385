"""Gumbel-softmax: codes between the values, through which gradients flow.

    z = softmax((potentials + gamma) / tau),    gamma ~ Gumbel

The loss is that of the relaxed codes. It is not the loss of hard ones, which is what
an evaluation reports: the gap closes as tau falls, and the variance grows. With
`straight_through` the loss gets hard codes and the gradient that of the relaxed ones,
which is biased for every tau.

Reference: Jang, Gu and Poole, Categorical Reparameterization with Gumbel-Softmax;
Maddison, Mnih and Teh, The Concrete Distribution; both ICLR 2017.
"""

import keras
import tensorflow as tf

from bdlzoo.estimators.estimator import (
    Estimator,
    hardened,
    loaded,
    perturbed,
    saved,
    schedule_or_number,
    value_at,
)


@keras.saving.register_keras_serializable(package="bdlzoo")
class GumbelSoftmax(Estimator):
    """Relaxes codes, so that the gradient of the loss reaches the potentials.

    Args:
        tau: Float above 0, temperature of the relaxed codes, or a schedule over steps
            such as `bdlzoo.ExponentialFall` (also a dictionary with its name as
            `type`).
        straight_through: Bool, whether the loss gets hard codes and only the gradient
            is that of the relaxed ones.

    Example:

        estimator = bdlzoo.estimators.GumbelSoftmax(tau=0.5)
        loss = tf.reduce_mean(estimator(potentials, loss_of, key))
    """

    through_codes = True

    def __init__(self, tau=1.0, straight_through=False):
        self.tau = schedule_or_number("tau", tau, lambda value: 0 < value < float(
            "inf"), "a finite number above 0")
        self.straight_through = straight_through

    @property
    def is_relaxed(self):
        return not self.straight_through

    def __call__(self, potentials, loss, key, step=0, num_samples=1):
        codes = self.codes(potentials, key, step, num_samples)
        return tf.reduce_mean(loss(codes), axis=0)

    def codes(self, potentials, key, step=0, num_samples=1):
        """Codes `[S, B, N, K]` that a loss gets, with their gradient."""
        noisy = perturbed(potentials, key, num_samples)
        relaxed = tf.nn.softmax(noisy / value_at(self.tau, step))
        if self.straight_through:
            return hardened(noisy) + relaxed - tf.stop_gradient(relaxed)
        return relaxed

    def get_config(self):
        return {"tau": saved(self.tau), "straight_through": self.straight_through}

    @classmethod
    def from_config(cls, config):
        return cls(**loaded(config, "tau"))
