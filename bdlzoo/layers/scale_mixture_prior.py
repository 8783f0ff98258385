"""Prior over weights that is a mixture of a wide and a narrow normal.

    p(w) = share N(w; 0, scale**2) + (1 - share) N(w; 0, narrow_scale**2)
    KL   ~ sum of log q(w) - log p(w),    w ~ q

There is no closed form: the divergence is estimated at one draw.

Reference: Blundell et al., Weight Uncertainty in Neural Networks, ICML 2015.
"""

import keras
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core import noise
from bdlzoo.layers.prior import Prior, check_scale


@keras.saving.register_keras_serializable(package="bdlzoo")
class ScaleMixturePrior(Prior):
    """Keeps most weights near zero and allows a few large ones.

    Args:
        scale: Float, standard deviation of the wide part.
        narrow_scale: Float, standard deviation of the narrow part.
        share: Float in (0, 1), probability of the wide part.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        DenseFlipout(10, prior=ScaleMixturePrior(1.0, narrow_scale=0.01))
    """

    def __init__(self, scale=1.0, narrow_scale=0.0025, share=0.5, **kwargs):
        super().__init__(**kwargs)
        check_scale("scale", scale)
        check_scale("narrow_scale", narrow_scale)
        if not 0 < share < 1:
            raise ValueError("Expected a probability above 0 and below 1. "
                             f"Received: share={share}")
        self.scale = scale
        self.narrow_scale = narrow_scale
        self.share = share

    def divergence(self, mean, scale, log_scale, key):
        eps = noise.normal(mean.shape, key)
        wide = tfd.Normal(0.0, self.scale).log_prob(mean + scale * eps)
        narrow = tfd.Normal(0.0, self.narrow_scale).log_prob(mean + scale * eps)
        prior = tf.reduce_logsumexp(
            [tf.math.log(self.share) + wide,
             tf.math.log1p(-self.share) + narrow], axis=0)
        posterior = tfd.Normal(0.0, 1.0).log_prob(eps) - log_scale
        return tf.reduce_sum(posterior - prior)

    def get_config(self):
        return {**super().get_config(), "scale": self.scale,
                "narrow_scale": self.narrow_scale, "share": self.share}
