"""Independent Gaussian numbers with one noise: an output is a mean.

    log p(x | outputs) = sum of log N(x; outputs, noise**2)
"""

import math

import keras
import tensorflow as tf

from bdlzoo.core.checks import check_positive
from bdlzoo.likelihoods.pixel_likelihood import PixelLikelihood


@keras.saving.register_keras_serializable(package="bdlzoo")
class GaussianPixels(PixelLikelihood):
    """Reads outputs as means of real numbers, all with the same noise.

    Args:
        noise_scale: Float, standard deviation of the noise, or where it starts.
        learn_noise: Bool, whether the noise is learnt.
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.

    Example:

        model = bdlzoo.methods.VAE(encoder, decoder, likelihood={
            "type": "GaussianPixels", "noise_scale": 0.1, "learn_noise": False})
    """

    def __init__(self, noise_scale=1.0, learn_noise=True, **kwargs):
        super().__init__(**kwargs)
        check_positive(noise_scale=noise_scale)
        self.noise_scale = noise_scale
        self.learn_noise = learn_noise
        self.log_noise = self.add_weight(
            name="log_noise", trainable=learn_noise, autocast=False,
            initializer=keras.initializers.Constant(math.log(noise_scale)))
        self.built = True

    def log_prob_each(self, x, outputs):
        gap = (tf.cast(x, outputs.dtype) - outputs) * tf.exp(-self.log_noise)
        return (-0.5 * tf.square(gap) - self.log_noise
                - 0.5 * math.log(2.0 * math.pi))

    def mean(self, outputs):
        return outputs

    def check_inputs(self, x):
        """All finite numbers have a density."""

    def quick_check(self, x):
        return tf.constant(True)

    def get_config(self):
        return {**super().get_config(), "noise_scale": self.noise_scale,
                "learn_noise": self.learn_noise}
