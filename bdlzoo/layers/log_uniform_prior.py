"""Log-uniform prior over weights, for variational dropout.

    p(|w|) ~ 1 / |w|,    alpha = s**2 / m**2
    KL(alpha) = k1 - k1 sigmoid(k2 + k3 log alpha) + log(1 + 1 / alpha) / 2

The formula is the approximation of Molchanov et al., exact within 0.01 for all alpha.
The prior is improper, so the KL is known up to a constant; here it goes to 0 as alpha
grows.

Reference: Molchanov et al., Variational Dropout Sparsifies Deep Neural
Networks, ICML 2017.
"""

import keras
import tensorflow as tf

from bdlzoo.layers.prior import Prior

_K1, _K2, _K3 = 0.63576, 1.87320, 1.48695
_LIMIT = 8.0  # Beyond it a weight is certainly kept or dropped.


def log_uniform_kl(log_alpha):
    """KL in nats of a weight with relative variance alpha."""
    return (_K1 - _K1 * tf.sigmoid(_K2 + _K3 * log_alpha)
            + 0.5 * tf.math.softplus(-log_alpha))


@keras.saving.register_keras_serializable(package="bdlzoo")
class LogUniformPrior(Prior):
    """Prior without a scale: the KL depends on the noise relative to the weight.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.

    Example:

        DenseLocalReparameterization(10, prior=LogUniformPrior())
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def log_alpha(self, mean, log_scale):
        """Log of the variance relative to the squared mean, within +-8."""
        log_square = tf.math.log(mean**2 + 1e-16)  # Finite for a weight of zero.
        return tf.clip_by_value(2.0 * log_scale - log_square, -_LIMIT, _LIMIT)

    def divergence(self, mean, scale, log_scale, key):
        return tf.reduce_sum(log_uniform_kl(self.log_alpha(mean, log_scale)))
