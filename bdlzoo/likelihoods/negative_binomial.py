"""Negative binomial likelihood of counts that vary more than Poisson ones.

    mean = exp(outputs),   variance = mean + dispersion * mean^2

It is a Poisson distribution whose rate has a Gamma distribution; the limit of a
dispersion of 0 is the Poisson distribution. If the dispersion depends on the input,
`log mean, raw = split(outputs)` and `dispersion = softplus(raw) + 1e-6`.
"""

import math

import keras
import tensorflow as tf

from bdlzoo.core import quick_cdf
from bdlzoo.core.checks import check_positive
from bdlzoo.likelihoods.count_likelihood import CountLikelihood, bounded


@keras.saving.register_keras_serializable(package="bdlzoo")
class NegativeBinomial(CountLikelihood):
    """Reads outputs as log means of counts; the dispersion is learnt or given.

    Args:
        dispersion: Float, variance in excess of the mean, in squared means; or where
            it starts.
        learn_dispersion: Bool, whether the dispersion of each target is learnt.
        heteroscedastic: Bool, whether the dispersion is an output of the network: then
            it has two outputs for each target, log means first.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        MCDropout(network, likelihood=NegativeBinomial(0.5))
    """

    def __init__(self, dispersion=0.5, learn_dispersion=True, heteroscedastic=False,
                 **kwargs):
        super().__init__(**kwargs)
        check_positive(dispersion=dispersion)
        self.dispersion = dispersion
        self.learn_dispersion = learn_dispersion
        self.heteroscedastic = heteroscedastic
        self.num_parameters = 2 if heteroscedastic else 1

    def build(self, output_shape):
        super().build(output_shape)
        if not self.heteroscedastic:
            self.log_dispersion = self.add_weight(
                name="log_dispersion", shape=(output_shape[-1],), autocast=False,
                trainable=self.learn_dispersion,
                initializer=keras.initializers.Constant(math.log(self.dispersion)))

    def distribution(self, outputs):
        if self.heteroscedastic:
            log_means, raw = tf.split(outputs, 2, axis=-1)
            log_dispersion = tf.math.log(tf.nn.softplus(raw) + 1e-6)
        else:
            log_means = outputs
            log_dispersion = tf.cast(self.log_dispersion, outputs.dtype)
        # `total_count * exp(logits)` is the mean of this parameterisation.
        return quick_cdf.NegativeBinomial(
            total_count=tf.exp(-log_dispersion),
            logits=bounded(log_means) + log_dispersion)

    def get_config(self):
        return {**super().get_config(), "dispersion": self.dispersion,
                "learn_dispersion": self.learn_dispersion,
                "heteroscedastic": self.heteroscedastic}
