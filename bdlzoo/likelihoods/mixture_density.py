"""Mixture density head: several Gaussians for each target, all from the input.

    logits, means, raw = split(outputs)                          [..., D, K] each
    p(y) = sum over k of softmax(logits)_k N(y; means_k, softplus(raw_k) + 1e-6)

The noise may have several modes. With one component it is `HeteroscedasticGaussian`.

Reference: Bishop, Mixture Density Networks, 1994.
"""

import keras
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core.checks import check_count
from bdlzoo.likelihoods.density_likelihood import DensityLikelihood


@keras.saving.register_keras_serializable(package="bdlzoo")
class MixtureDensity(DensityLikelihood):
    """Reads three outputs for each target and component: logit, mean, raw variance.

    Args:
        num_components: Integer K, number of Gaussians for each target. A network for D
            targets has `3 * K * D` outputs: all logits, all means, all raw variances;
            each of them target by target.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        MCDropout(network, likelihood=MixtureDensity(5))
    """

    def __init__(self, num_components=3, **kwargs):
        super().__init__(**kwargs)
        check_count("num_components", num_components)
        self.num_components = num_components
        self.num_parameters = 3 * num_components

    def distribution(self, outputs):
        targets = outputs.shape[-1] // self.num_parameters
        shape = tf.concat([tf.shape(outputs)[:-1], [targets, self.num_components]],
                          axis=0)
        static = [*outputs.shape[:-1], targets, self.num_components]
        logits, means, raw = (tf.ensure_shape(tf.reshape(part, shape), static)
                              for part in tf.split(outputs, 3, axis=-1))
        return tfd.MixtureSameFamily(
            tfd.Categorical(logits=logits),
            tfd.Normal(means, tf.sqrt(tf.nn.softplus(raw) + 1e-6)))

    def get_config(self):
        return {**super().get_config(), "num_components": self.num_components}
