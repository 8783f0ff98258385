"""Preconditioned SGLD: steps as long as the gradients of each weight allow.

    V <- r V + (1 - r) g**2
    G  = 1 / (bias + sqrt(V))
    w <- w - h G g + normal of variance 2 h G T / num_data

`g` is the gradient of the mean loss. The term for the change of G from step to
step is left out, as its authors do in practice: it is small where r is near 1. V
starts at one, so that the first steps are short.

Reference: Li et al., Preconditioned Stochastic Gradient Langevin Dynamics for Deep
Neural Networks, AAAI 2016.
"""

import keras
import tensorflow as tf

from bdlzoo.families.chain_model import normals_like
from bdlzoo.families.sampler_model import SamplerModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class PreconditionedSGLD(SamplerModel):
    """Samples by gradient steps with noise, both scaled by the gradients seen.

    Args:
        *args: See `SamplerModel`.
        decay: Float, r, share of the past in the mean of squared gradients.
        bias: Float, what keeps steps of weights without gradients short.
        **kwargs: See `SamplerModel`.

    Example:

        model = bdlzoo.methods.PreconditionedSGLD(network, burn_in=500)
        model.compile(keras.optimizers.SGD(1e-3))
        model.fit(x, y, epochs=20)
    """

    def __init__(self, *args, decay=0.99, bias=1e-3, **kwargs):
        super().__init__(*args, **kwargs)
        if not 0 <= decay <= 1 or not bias > 0:
            raise ValueError("Expected a decay from 0 to 1 and a positive bias. "
                             f"Received: decay={decay}, bias={bias}")
        self.decay = decay
        self.bias = bias

    def check_sampler(self):
        if self.optimizer.momentum:
            raise ValueError("Expected SGD without momentum. Received: "
                             f"momentum={self.optimizer.momentum}")

    def build(self, input_shape):
        super().build(input_shape)
        self.moments = [self.add_weight(
            name=f"moment_{place}", shape=weight.shape, initializer="ones",
            trainable=False, autocast=False, aggregation="only_first_replica")
            for place, weight in enumerate(self.network.trainable_variables)]

    def noisy(self, gradients, variance, key):
        context = tf.distribute.get_replica_context()
        replicas = context.num_replicas_in_sync
        if replicas > 1:  # Squares are those of the whole batch's gradient.
            gradients = context.all_reduce(tf.distribute.ReduceOp.SUM, gradients)
        steps = []
        for gradient, moment, normal in zip(
                gradients, self.moments, normals_like(gradients, key), strict=True):
            moment.assign(self.decay * moment
                          + (1.0 - self.decay) * tf.square(gradient))
            scale = 1.0 / (self.bias + tf.sqrt(moment))
            steps.append(
                (scale * gradient + tf.sqrt(variance * scale) * normal) / replicas)
        return steps

    def get_config(self):
        return {**super().get_config(), "decay": self.decay, "bias": self.bias}
