"""Gaussian dropout with a learnt rate for each weight.

    w = mean (1 + sqrt(alpha) eps),    alpha = scale**2 / mean**2

Local reparameterisation under the log-uniform prior. Weights whose noise
outgrows them, at log alpha > 3 a dropout rate above 0.95, can be pruned. Warm
the KL up, or all of them are.

Reference: Molchanov et al., Variational Dropout Sparsifies Deep Neural
Networks, ICML 2017.
"""

import math

import tensorflow as tf

from bdlzoo.layers.local_reparameterization import LocalReparameterization
from bdlzoo.layers.log_uniform_prior import LogUniformPrior


class VariationalDropout(LocalReparameterization):
    """Learns which weights the data need."""

    def __init__(self, *args, prior="LogUniformPrior", init_scale=math.exp(-5.0),
                 **kwargs):
        super().__init__(*args, prior=prior, init_scale=init_scale, **kwargs)
        if not isinstance(self.prior, LogUniformPrior):
            raise ValueError("Expected the log-uniform prior: use a "
                             "LocalReparameterization layer for any other. "
                             f"Received: prior={type(self.prior).__name__}")

    def log_alpha(self):
        """Log of the variance of each weight relative to its square."""
        return self.prior.log_alpha(tf.convert_to_tensor(self.kernel),
                                    tf.math.log(self.kernel_scale()))

    def sparsity(self, threshold=3.0):
        """Share of the weights that could be pruned."""
        noisy = self.log_alpha() > threshold
        return float(tf.reduce_mean(tf.cast(noisy, tf.float32)))

    def prune(self, threshold=3.0):
        """Sets weights whose log alpha is above `threshold` to zero for good."""
        keep = tf.cast(self.log_alpha() <= threshold, tf.float32)
        self.kernel.assign(self.kernel * keep)
        # Without its noise as well: exp(-20) is nothing beside any weight.
        self.set_kernel_scale(tf.where(keep > 0, self.kernel_scale(), 2e-9).numpy())
