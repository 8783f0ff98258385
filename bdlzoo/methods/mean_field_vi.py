"""Variational inference with a factorised posterior over the weights.

    loss = E_q[nll] + weight kl_weight KL(q || prior) / num_data

If outputs have positions, such as time steps, `nll` is that of a position, and the
divergence is divided by `num_data` times the positions of a row.
The layers draw the weights and compute the divergence from their prior. `weight`
is 1, or rises from 0 to 1 over the first `kl_warmup` epochs; with
`geometric_kl` it is also halved from batch to batch of an epoch, so that
the prior has most weight in the first batches and the data in the last ones.

`evaluate` reports `elbo`. On the training data it is the bound on their log evidence,
by which two architectures can be compared.

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
        network: Keras model whose outputs the likelihood reads: logits for classes,
            means for numbers. It holds variational layers: of `bdlzoo.layers`, or made
            by `bdlzoo.bayesianize`.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
        num_samples: Integer, draws of the weights at prediction.
        num_train_samples: Integer, draws of the weights in a training step.
        kl_weight: Float, weight of the divergence from the prior. 1 gives the Bayes
            posterior, a smaller number a colder one.
        kl_warmup: Float, epochs over which the weight of the KL rises from 0 to 1; 0
            for none.
        geometric_kl: Bool, whether the weight of the KL is halved from each batch of an
            epoch to the next.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        network = bdlzoo.bayesianize(network, technique="flipout")
        model = bdlzoo.methods.MeanFieldVI(network, likelihood="categorical")
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    log_names = ("loss", "nll", "kl", "kl_per_example", "posterior_scale", "elbo")

    def __init__(self, network, likelihood="categorical", num_samples=32,
                 num_train_samples=1, kl_weight=1.0, kl_warmup=0.0, geometric_kl=False,
                 num_data=None, seed=None, **kwargs):
        super().__init__(
            network, likelihood, num_samples=num_samples,
            num_train_samples=num_train_samples, kl_weight=kl_weight, num_data=num_data,
            seed=seed, **kwargs)
        if kl_warmup < 0:
            raise ValueError("Expected a number of epochs of at least 0. Received: "
                             f"kl_warmup={kl_warmup}")
        self.kl_warmup = kl_warmup
        self.geometric_kl = geometric_kl

    def build(self, input_shape):
        super().build(input_shape)
        if not self._variational_layers():
            raise ValueError(
                "Expected a network with variational layers: build it from those in "
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

    def test_logs(self, y, draws, counted):
        with noise.draws(noise.key(self.seed, noise.PREDICT)):
            kl = self.kl()
        nll = -tf.reduce_mean(self.likelihood.log_prob(y, draws), axis=0)
        return {"elbo": -(self.num_data * counted.row_sums(nll) + kl)}  # [B]

    def get_config(self):
        return {**super().get_config(), "kl_warmup": self.kl_warmup,
                "geometric_kl": self.geometric_kl}
