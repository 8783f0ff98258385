"""Stochastic gradient Hamiltonian Monte Carlo: SGD with momentum that samples.

    v <- (1 - a) v - h g + normal of variance 2 h a T / num_data
    w <- w + v

The friction a is one minus the momentum of the optimiser. With momentum, chains move
farther between samples; with a = 1 this is SGLD.

The gradient of a batch has noise of its own. Its variance V heats the chain, the more
the higher the momentum is:

    variance of samples / variance of the posterior = 1 + h V num_data / (2 a T)

This is for batches that are drawn independently. Batches of 10 out of 40 rows, a = .02
and h = .0125 give samples with 1.5 times the standard deviation of the posterior. Rows
that come once in an epoch, as arrays do in `fit`, give 1.01 times: their noise cancels
in an epoch. Lower h, larger batches and lower momentum help. So does `thermostat`,
which raises the friction of each weight until the velocity has the energy it should:

    a <- a + (a_0 / 4)^2 (v^2 / s^2 - 1),    s^2 = 2 h T / (num_data (2 - a))

and leaves 1.00 times in the example. It needs a burn-in of some 60 / a_0 steps.

Reference: Chen et al., Stochastic Gradient Hamiltonian Monte Carlo, ICML 2014; Ding et
al., Bayesian Sampling Using Stochastic Gradient Thermostats, NeurIPS 2014; Gan et al.,
Scalable Deep Poisson Factor Analysis for Topic Modeling, ICML 2015 (one for a weight).
"""

import keras
import tensorflow as tf

from bdlzoo.families.sampler_model import SamplerModel

_HOTTEST = 25.0  # Energy at which a weight that still descends counts.


@keras.saving.register_keras_serializable(package="bdlzoo")
class SGHMC(SamplerModel):
    """Samples by gradient steps with momentum and noise.

    Args:
        network: Keras model whose outputs the likelihood reads: logits for classes,
            means for numbers. Chains start from their own initial weights, not from
            those of the model.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
            Its own parameters, such as a noise scale, are fitted and not sampled.
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
        thermostat: Bool, whether friction is raised where the noise of batches heats
            the chain; `False` leaves that bias in the samples.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.SGHMC(network, burn_in=500, thinning=100)
        model.compile(keras.optimizers.SGD(0.01, momentum=0.9))
        model.fit(x, y, epochs=20)
    """

    def __init__(self, network, likelihood="categorical", num_chains=1, burn_in=0,
                 thinning=1, num_kept=100, temperature=1.0, prior_scale=1.0,
                 sample_file=None, own_order=True, num_samples=None,
                 num_train_samples=1, kl_weight=1.0, num_data=None, thermostat=False,
                 seed=None, **kwargs):
        super().__init__(
            network, likelihood, num_chains=num_chains, burn_in=burn_in,
            thinning=thinning, num_kept=num_kept, temperature=temperature,
            prior_scale=prior_scale, sample_file=sample_file, own_order=own_order,
            num_samples=num_samples, num_train_samples=num_train_samples,
            kl_weight=kl_weight, num_data=num_data, seed=seed, **kwargs)
        if thermostat and not temperature > 0:
            raise ValueError("Expected a temperature above 0 for a thermostat. "
                             f"Received: temperature={temperature}")
        self.thermostat = thermostat

    def build(self, input_shape):
        super().build(input_shape)
        self.frictions = [  # Above that of the optimiser.
            self.new_state(f"friction_{place}", weight.shape) for place, weight
            in enumerate(self.network.trainable_variables)] if self.thermostat else []

    def noisy(self, gradients, variance, key):
        noisy = super().noisy(gradients, variance, key)
        if not self.thermostat:
            return noisy
        replicas = tf.distribute.get_replica_context().num_replicas_in_sync
        # The optimiser keeps (1 - a_0) v, of which the gradient takes the rest off.
        share = tf.math.divide_no_nan(1.0, self.optimizer.learning_rate * replicas)
        return [g + share * more * v for g, more, v in zip(
            noisy, self.frictions, self.optimizer.momentums)]

    def update(self, gradients, key):
        if self.thermostat:
            self.build_optimizers()
        rate = tf.convert_to_tensor(self.optimizer.learning_rate)
        super().update(gradients, key)
        least = 1.0 - self.optimizer.momentum
        for place, more in enumerate(self.frictions):
            scale = tf.math.divide_no_nan(
                self.data_points * (2.0 - least - more), 2.0 * rate * self.temperature)
            energy = scale * tf.square(self.optimizer.momentums[place])
            moved = more + (least / 4.0)**2 * (tf.minimum(energy, _HOTTEST) - 1.0)
            more.assign(tf.clip_by_value(moved, -least, 1.0 - least))

    def check_sampler(self):
        if not 0 < self.optimizer.momentum < 1:
            raise ValueError(
                "Expected SGD with a momentum between 0 and 1, such as 0.9; without "
                "momentum, use `bdlzoo.methods.SGLD`. Received: "
                f"momentum={self.optimizer.momentum}")

    def get_config(self):
        return {**super().get_config(), "thermostat": self.thermostat}
