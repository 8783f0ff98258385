"""Laplace likelihood, whose mean absolute error is that of a median.

    p(y) = exp(-|y - location| / scale) / (2 scale)

The negative log-likelihood is the absolute error, so the location is the median of the
targets.
"""

import keras
from tensorflow_probability import distributions as tfd

from bdlzoo.likelihoods.location_scale_likelihood import LocationScaleLikelihood


@keras.saving.register_keras_serializable(package="bdlzoo")
class Laplace(LocationScaleLikelihood):
    """Reads outputs as locations of Laplace distributions.

    Args:
        noise_scale: Float, mean absolute deviation of the noise, or where it starts.
            The standard deviation is `sqrt(2)` times as large.
        learn_noise: Bool, whether the scale of each target is learnt.
        heteroscedastic: Bool, whether the scale is an output of the network: then it
            has two outputs for each target, locations first.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        MCDropout(network, likelihood=Laplace(learn_noise=True))
    """

    def __init__(self, noise_scale=1.0, learn_noise=False, heteroscedastic=False,
                 **kwargs):
        super().__init__(noise_scale, learn_noise, heteroscedastic, **kwargs)

    def distribution(self, outputs):
        return tfd.Laplace(*self.location_scale(outputs))
