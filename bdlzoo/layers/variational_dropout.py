"""Gaussian dropout with a learnt rate for each weight.

    w = mean (1 + sqrt(alpha) eps),    alpha = scale**2 / mean**2

Local reparameterisation under the log-uniform prior. A weight with much more noise
than signal can be pruned: log alpha > 3 is a dropout rate above 0.95. Raise the
weight of the KL slowly in training, or all weights are pruned.

Reference: Molchanov et al., Variational Dropout Sparsifies Deep Neural
Networks, ICML 2017.
"""

import tensorflow as tf

from bdlzoo.layers.local_reparameterization import LocalReparameterization
from bdlzoo.layers.log_uniform_prior import LogUniformPrior


class VariationalDropout(LocalReparameterization):
    """Learns which weights the data need.

    Args:
        **kwargs: Arguments of `Variational` and of the layer of Keras.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        if not isinstance(self.prior, LogUniformPrior):
            raise ValueError("Expected the log-uniform prior: use a "
                             "LocalReparameterization layer for any other. "
                             f"Received: prior={type(self.prior).__name__}")

    def log_alpha(self):
        """Log of the variance of each weight divided by its squared mean."""
        return self.prior.log_alpha(tf.convert_to_tensor(self.kernel),
                                    tf.math.log(self.kernel_scale()))

    def sparsity(self, threshold=3.0):
        """Share of the weights that can be pruned."""
        noisy = self.log_alpha() > threshold
        return float(tf.reduce_mean(tf.cast(noisy, tf.float32)))

    def prune(self, threshold=3.0):
        """Sets weights whose log alpha is above `threshold` to zero."""
        keep = tf.cast(self.log_alpha() <= threshold, tf.float32)
        self.kernel.assign(self.kernel * keep)
        # Without noise as well: 2e-9 is negligible beside any weight.
        self.set_kernel_scale(tf.where(keep > 0, self.kernel_scale(), 2e-9).numpy())
