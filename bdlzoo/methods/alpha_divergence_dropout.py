"""Dropout trained on an alpha-divergence in place of the KL.

    l_k  = log p(y | x, w * z_k),   masks z_k for each row and draw, K of them
    data = -1 / alpha * (logsumexp over k of alpha * l_k - log K)
    loss = data + 1 / num_data * sum over layers of
           share / (2 prior_scale**2) * ||w||**2

The gradient weighs draw k by the softmax over k of `alpha * l_k`, so that the better
draws of a row count more. In the limit alpha = 0 all draws count the same: this is
`MCDropout`, which seeks a mode. At alpha = 1 the data term is the negative log of
the mean probability, which covers mass; 0.5 lies between. With one draw there is
nothing to weigh, and the objective is that of alpha = 0 for any alpha. With few draws
the data term is too high on average, since the log of a mean over draws is too low.

The objective needs only draws: variational layers can be used as well as dropout, and
add their divergence to the prior of the other weights. In the logs of training
`nll` is the data term; in `evaluate` it is that of the prediction, as for all methods.

Reference: Li and Gal, Dropout Inference in Bayesian Neural Networks with
Alpha-divergences, ICML 2017.
"""

import math
import numbers

import keras
import tensorflow as tf
from absl import logging

from bdlzoo.core import registry
from bdlzoo.families.dropout_model import DropoutModel

_ZERO = 1e-10  # An alpha of a schedule below this counts as 0.
_Schedule = keras.optimizers.schedules.LearningRateSchedule


@keras.saving.register_keras_serializable(package="bdlzoo")
class AlphaDivergenceDropout(DropoutModel):
    """Trains a network with dropout on the joint likelihood of several draws.

    Args:
        network: Keras model whose outputs the likelihood reads: logits for classes,
            means for numbers. It holds dropout layers or variational layers.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
        num_samples: Integer, draws at prediction.
        alpha: Float, 0 for the objective of `MCDropout`, 1 for the likelihood of the
            mean over draws; or a schedule of `keras.optimizers.schedules` (also a
            dictionary with its name under `type`), which is read at the step of the
            optimiser.
        num_train_samples: Integer, draws in a training step. If training is unstable,
            raise it before `alpha`.
        kl_weight: Float, weight of the divergence from the prior. 1 gives the Bayes
            posterior, a smaller number a colder one.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for no prior. A network that learns its dropout rates needs
            one.
        length_scale: Float, the same prior given by its length-scale, `1 /
            prior_scale`. Give at most one of the two.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.AlphaDivergenceDropout(network, alpha=0.5)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    log_names = ("loss", "nll", "kl", "alpha")

    def __init__(self, network, likelihood="categorical", num_samples=32, alpha=0.5,
                 num_train_samples=10, kl_weight=1.0, prior_scale=None,
                 length_scale=None, num_data=None, seed=None, **kwargs):
        super().__init__(
            network, likelihood, num_samples=num_samples,
            num_train_samples=num_train_samples, kl_weight=kl_weight,
            prior_scale=prior_scale, length_scale=length_scale, num_data=num_data,
            seed=seed, **kwargs)
        self.alpha = _checked(registry.build(alpha, keras.optimizers.schedules))
        if num_train_samples == 1 and self.alpha != 0.0:
            logging.warning(
                "With one draw in a step there is nothing to weigh: this is "
                "variational inference (alpha = 0) for any alpha. Give "
                "num_train_samples above 1. Received: alpha=%s", alpha)

    def objective(self, x, y, sample_weight, key):
        logs, prediction = super().objective(x, y, sample_weight, key)
        return {**logs, "alpha": self.current_alpha()}, prediction

    def data_loss(self, log_probs):
        mean = super().data_loss(log_probs)
        if self.alpha == 0.0:
            return mean
        alpha = tf.cast(self.current_alpha(), log_probs.dtype)
        zero = tf.abs(alpha) < _ZERO
        # The branch that is not used must be finite too, for its gradient.
        alpha = tf.where(zero, 1.0, alpha)
        # Relative to the best draw: for small alpha the log-sum-exp and log K are
        # nearly the same, and their difference would lose its digits.
        leader = tf.stop_gradient(tf.where(
            alpha > 0.0, tf.reduce_max(log_probs, axis=0),
            tf.reduce_min(log_probs, axis=0)))  # [B]
        gaps = tf.math.expm1(alpha * (log_probs - leader))  # [S, B], in (-1, 0]
        log_mean = tf.math.log1p(tf.reduce_mean(gaps, axis=0))
        return tf.where(zero, mean, -(leader + log_mean / alpha))

    def current_alpha(self):
        """Alpha of this step: a float, or a scalar tensor from the schedule."""
        if isinstance(self.alpha, _Schedule):
            return self.alpha(self.optimizer.iterations)
        return self.alpha

    def get_config(self):
        alpha = keras.saving.serialize_keras_object(self.alpha)
        return {**super().get_config(), "alpha": alpha}

    @classmethod
    def from_config(cls, config):
        alpha = keras.saving.deserialize_keras_object(config["alpha"])
        return super().from_config({**config, "alpha": alpha})


def _checked(alpha):
    if isinstance(alpha, _Schedule):
        return alpha
    number = isinstance(alpha, numbers.Real) and not isinstance(alpha, bool)
    if not number or not math.isfinite(alpha):
        raise ValueError(
            "Expected a finite number, or a schedule of "
            f"`keras.optimizers.schedules`. Received: alpha={alpha!r}")
    if not 0 <= alpha <= 1:
        logging.warning(
            "alpha=%s is possible, but outside of the usual range from 0 (the KL) "
            "to 1 (the likelihood of the mean): %s.", alpha,
            "below 0 the worst draws count most" if alpha < 0
            else "above 1 the best draw counts even more")
    return float(alpha)
