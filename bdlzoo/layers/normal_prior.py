"""Normal prior over weights.

    KL = sum of log(scale / s) + (s**2 + (m - loc)**2) / (2 scale**2) - 1 / 2

for a posterior with means m and standard deviations s.
"""

import keras
import tensorflow as tf

from bdlzoo.layers.prior import Prior, check_scale


@keras.saving.register_keras_serializable(package="bdlzoo")
class NormalPrior(Prior):
    """Factorised normal with one standard deviation for all weights of a layer.

    Args:
        scale: Float, standard deviation.
        learn_scale: Bool, whether the standard deviation is trained with the
            posterior (empirical Bayes).
        at_weights: Bool, whether the mean is a stored tensor, which
            `bdlzoo.bayesianize` sets to the trained weights. Otherwise it is zero.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        DenseFlipout(10, prior=NormalPrior(0.5, learn_scale=True))
    """

    def __init__(self, scale=1.0, learn_scale=False, at_weights=False, **kwargs):
        super().__init__(**kwargs)
        check_scale("scale", scale)
        self.scale = scale
        self.learn_scale = learn_scale
        self.at_weights = at_weights

    def build(self, shape):
        with tf.init_scope():  # Layers inside of others are built in a graph.
            start = tf.math.log(self.scale).numpy()
        self.log_scale = self.add_weight(
            name="log_scale", shape=(), autocast=False, trainable=self.learn_scale,
            initializer=keras.initializers.Constant(start))
        if self.at_weights:
            self.loc = self.add_weight(name="loc", shape=shape, autocast=False,
                                       trainable=False, initializer="zeros")

    def divergence(self, mean, scale, log_scale, key):
        distance = mean - self.loc if self.at_weights else mean
        log_prior = tf.convert_to_tensor(self.log_scale)
        precision = tf.exp(-2.0 * log_prior)
        # The terms of one weight cancel before the sum; otherwise the rounding of a
        # million terms would be nats. One sum, because sums are expensive under XLA.
        squares = 0.5 * precision * (tf.square(scale) + tf.square(distance))
        return tf.reduce_sum(squares - (log_scale + (0.5 - log_prior)))

    def get_config(self):
        return {**super().get_config(), "scale": self.scale,
                "learn_scale": self.learn_scale, "at_weights": self.at_weights}
