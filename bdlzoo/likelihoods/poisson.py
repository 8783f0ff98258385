"""Poisson likelihood of counts.

    p(y) = rate^y exp(-rate) / y!,   rate = exp(outputs)

Mean and variance are both `rate`. Counts that vary more need a `NegativeBinomial`.
"""

import keras
from tensorflow_probability import distributions as tfd

from bdlzoo.likelihoods.count_likelihood import CountLikelihood, bounded


@keras.saving.register_keras_serializable(package="bdlzoo")
class Poisson(CountLikelihood):
    """Reads outputs as log rates of counts.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.

    Example:

        MCDropout(network, likelihood="poisson")
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def distribution(self, outputs):
        return tfd.Poisson(log_rate=bounded(outputs))
