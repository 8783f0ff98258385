"""Preconditioned SGLD: step sizes that adapt to the gradients of each weight.

    V <- r V + (1 - r) g**2
    G  = 1 / (bias + sqrt(V))
    w <- w - h G g + normal of variance 2 h G T / num_data

`g` is the gradient of the mean loss. The term for the change of G from step to
step is left out, as its authors do in practice: it is small for r near 1. V
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
    """Samples by gradient steps with noise, both scaled by past gradients.

    Args:
        network: Keras model whose outputs the likelihood reads: logits for classes,
            means for numbers. Chains start from their own initial weights, not from
            those of the model.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
            Its own parameters, such as a noise scale, are fitted and not sampled.
        decay: Float in [0, 1], r, weight of the past in the running mean of squared
            gradients.
        bias: Float above 0, added to the root of that mean; it limits the steps of
            weights with small gradients.
        num_chains: Integer, chains that run side by side in one computation.
        burn_in: Integer, steps before samples are kept.
        thinning: Integer, steps from one kept sample to the next.
        num_kept: Integer, samples that are kept of each chain, the newest ones.
        temperature: Float, 1 for the Bayes posterior, 0 for gradient descent without
            noise.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for a flat prior.
        sample_file: Path of a file to which all samples are written, also those that
            the model drops; `None` for no file.
        own_order: Bool, whether each chain sees arrays in its own order; batches of a
            dataset are the same for all chains.
        num_samples: Integer, kept samples that predict; `None` for as many as can be
            kept, `num_chains * num_kept`. If fewer are kept so far, they are used
            repeatedly, in turn.
        num_train_samples: Integer, draws in a training step. It has no effect here: a
            step makes one pass through each chain's network.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.PreconditionedSGLD(network, burn_in=500)
        model.compile(keras.optimizers.SGD(1e-3))
        model.fit(x, y, epochs=20)
    """

    def __init__(self, network, likelihood="categorical", decay=0.99, bias=1e-3,
                 num_chains=1, burn_in=0, thinning=1, num_kept=100, temperature=1.0,
                 prior_scale=1.0, sample_file=None, own_order=True, num_samples=None,
                 num_train_samples=1, kl_weight=1.0, num_data=None, seed=None,
                 **kwargs):
        super().__init__(
            network, likelihood, num_chains=num_chains, burn_in=burn_in,
            thinning=thinning, num_kept=num_kept, temperature=temperature,
            prior_scale=prior_scale, sample_file=sample_file, own_order=own_order,
            num_samples=num_samples, num_train_samples=num_train_samples,
            kl_weight=kl_weight, num_data=num_data, seed=seed, **kwargs)
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
        if replicas > 1:  # The square of the gradient of the whole batch is needed.
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
