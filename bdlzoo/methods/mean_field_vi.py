"""Variational inference with a factorised posterior over the weights.

    loss = E_q[nll] + weight kl_weight KL(q || prior) / num_data

The layers draw the weights, and bring the divergence from their prior. `weight`
is 1, or rises from 0 to 1 over the first `kl_warmup` epochs; with
`geometric_kl` it also falls by half from batch to batch of an epoch, so that
the first batches hear the prior and the last ones the data.

`evaluate` reports `elbo`, the bound on the log evidence of the training data
where it is given those data: two architectures can be compared by it.

Reference: Blundell et al., Weight Uncertainty in Neural Networks, ICML 2015;
Graves, Practical Variational Inference for Neural Networks, NeurIPS 2011.
"""

import keras
import tensorflow as tf

from bdlzoo.core import keras_internals, noise
from bdlzoo.core.replicas import rows_of_all
from bdlzoo.model.predictive_model import PredictiveModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class MeanFieldVI(PredictiveModel):
    """Trains the variational layers of a network.

    Args:
        *args: See `PredictiveModel`; the network holds variational layers of
            the zoo, its own or those of `bdlzoo.bayesianize`.
        kl_warmup: Float, epochs over which the weight of the KL rises.
        geometric_kl: Bool, whether it falls by half from batch to batch.
        **kwargs: See `PredictiveModel`.

    Example:

        network = bdlzoo.bayesianize(network, technique="flipout")
        model = bdlzoo.methods.MeanFieldVI(network, likelihood="categorical")
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    log_names = ("loss", "nll", "kl", "kl_per_example", "posterior_scale", "elbo")

    def __init__(self, *args, kl_warmup=0.0, geometric_kl=False, **kwargs):
        super().__init__(*args, **kwargs)
        if kl_warmup < 0:
            raise ValueError("Expected a number of epochs. Received: "
                             f"kl_warmup={kl_warmup}")
        self.kl_warmup = kl_warmup
        self.geometric_kl = geometric_kl

    def build(self, input_shape):
        super().build(input_shape)
        if not self._variational_layers():
            raise ValueError(
                "Expected a network with variational layers: build it of those in "
                "`bdlzoo.layers`, or convert it with `bdlzoo.bayesianize(network)`. "
                f"Received: network {self.network.name} without any")

    def objective(self, x, y, sample_weight, key):
        logs, prediction = super().objective(x, y, sample_weight, key)
        logs["kl_per_example"] = logs["kl"] / self.num_data
        logs["posterior_scale"] = self._mean_scale()
        return logs, prediction

    def kl_share(self, x):
        share = 1.0
        if not self.kl_warmup and not self.geometric_kl:
            return share
        batches = self.num_data * self.row_group / rows_of_all(x)  # Of an epoch.
        step = tf.cast(self.optimizer.iterations, tf.float32)
        if self.kl_warmup:
            share = tf.minimum(1.0, (step + 1.0) / (self.kl_warmup * batches))
        if self.geometric_kl:
            batches = tf.maximum(1.0, tf.floor(batches))
            place = tf.math.floormod(step, batches) + 1.0  # 1, ..., batches
            # 2**(M - i) / (2**M - 1), in a form that cannot overflow.
            share *= batches * 2.0**-place / (1.0 - 2.0**-batches)
        return share

    def _mean_scale(self):
        scales = [layer.kernel_scale() for layer in self._variational_layers()]
        total = tf.add_n([tf.reduce_sum(scale) for scale in scales])
        return total / sum(scale.shape.num_elements() for scale in scales)

    def _variational_layers(self):
        return [layer for layer in keras_internals.layers(self.network)
                if hasattr(layer, "kernel_scale")]

    def test_logs(self, y, draws):
        with noise.draws(noise.key(self.seed, noise.PREDICT)):
            kl = self.kl()
        nll = -tf.reduce_mean(self.likelihood.log_prob(y, draws), axis=0)  # [B]
        return {"elbo": -(self.num_data * nll + kl)}

    def get_config(self):
        return {**super().get_config(), "kl_warmup": self.kl_warmup,
                "geometric_kl": self.geometric_kl}
