"""Base class of likelihoods with a location and a scale for each target.

    location = outputs,  scale = given or learnt            the same for all inputs
    location, raw = split(outputs),  scale = sqrt(softplus(raw) + 1e-6)   by input

The second line reads outputs as `HeteroscedasticGaussian` does.
"""

import math

import keras
import tensorflow as tf

from bdlzoo.core.checks import check_positive
from bdlzoo.likelihoods.density_likelihood import DensityLikelihood


class LocationScaleLikelihood(DensityLikelihood):
    """Reads outputs as locations; the scale is given, learnt, or an output too.

    Args:
        noise_scale: Float, scale of the noise, or where it starts.
        learn_noise: Bool, whether the scale of each target is learnt.
        heteroscedastic: Bool, whether the scale is an output of the network.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.
    """

    def __init__(self, noise_scale=1.0, learn_noise=False, heteroscedastic=False,
                 **kwargs):
        super().__init__(**kwargs)
        check_positive(noise_scale=noise_scale)
        if learn_noise and heteroscedastic:
            raise ValueError(
                "Expected a scale that is learnt, or one that is an output of the "
                "network. Received: learn_noise=True and heteroscedastic=True")
        self.noise_scale = noise_scale
        self.learn_noise = learn_noise
        self.heteroscedastic = heteroscedastic
        self.num_parameters = 2 if heteroscedastic else 1

    def build(self, output_shape):
        super().build(output_shape)
        if not self.heteroscedastic:
            self.log_noise = self.add_weight(
                name="log_noise", shape=(output_shape[-1],), autocast=False,
                trainable=self.learn_noise,
                initializer=keras.initializers.Constant(math.log(self.noise_scale)))

    def location_scale(self, outputs):
        """Locations and scales, `[..., D]`."""
        if not self.heteroscedastic:
            return outputs, tf.cast(tf.exp(self.log_noise), outputs.dtype)
        locations, raw = tf.split(outputs, 2, axis=-1)
        return locations, tf.sqrt(tf.nn.softplus(raw) + 1e-6)

    def get_config(self):
        return {**super().get_config(), "noise_scale": self.noise_scale,
                "learn_noise": self.learn_noise,
                "heteroscedastic": self.heteroscedastic}
