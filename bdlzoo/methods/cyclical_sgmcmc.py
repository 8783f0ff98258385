"""Cyclical SG-MCMC: large steps find a mode, small steps with noise sample it.

    h_t = (h_0 / 2) (cos(pi (t mod L) / L) + 1)

The first part of each cycle explores, without noise. In the rest of the cycle noise is
added and samples are kept. With momentum the noise is that of SGHMC.

Reference: Zhang et al., Cyclical Stochastic Gradient MCMC for Bayesian Deep
Learning, ICLR 2020.
"""

import keras
import tensorflow as tf

from bdlzoo.core import keras_internals
from bdlzoo.families.sampler_model import SamplerModel
from bdlzoo.schedules.cosine_cycles import CosineCycles


@keras.saving.register_keras_serializable(package="bdlzoo")
class CyclicalSGMCMC(SamplerModel):
    """Samples in cycles, those of the learning rate.

    Args:
        network: Keras model whose outputs the likelihood reads: logits for classes,
            means for numbers. Chains start from their own initial weights, not from
            those of the model.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
            Its own parameters, such as a noise scale, are fitted and not sampled.
        exploration: Float in [0, 1), share of each cycle without noise and without
            samples.
        num_chains: Integer, chains that run side by side in one computation.
        burn_in: Integer, steps before samples are kept.
        thinning: Integer, steps from one kept sample to the next; only steps of the
            sampling stages count.
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

        model = bdlzoo.methods.CyclicalSGMCMC(network, thinning=100)
        rate = bdlzoo.CosineCycles(0.1, cycle_steps=5000)
        model.compile(keras.optimizers.SGD(rate))
        model.fit(x, y, epochs=40)
    """

    def __init__(self, network, likelihood="categorical", exploration=0.8, num_chains=1,
                 burn_in=0, thinning=1, num_kept=100, temperature=1.0, prior_scale=1.0,
                 sample_file=None, own_order=True, num_samples=None,
                 num_train_samples=1, kl_weight=1.0, num_data=None, seed=None,
                 **kwargs):
        super().__init__(
            network, likelihood, num_chains=num_chains, burn_in=burn_in,
            thinning=thinning, num_kept=num_kept, temperature=temperature,
            prior_scale=prior_scale, sample_file=sample_file, own_order=own_order,
            num_samples=num_samples, num_train_samples=num_train_samples,
            kl_weight=kl_weight, num_data=num_data, seed=seed, **kwargs)
        if not 0 <= exploration < 1:
            raise ValueError("Expected a share of at least 0 and below 1. Received: "
                             f"exploration={exploration}")
        self.exploration = exploration

    def check_sampler(self):
        self.cycles = keras_internals.schedule(self.optimizer)
        if not isinstance(self.cycles, CosineCycles):
            raise ValueError(
                "Expected a learning rate in cycles: "
                "`keras.optimizers.SGD(bdlzoo.CosineCycles(0.1, cycle_steps=5000))`. "
                "Received: learning_rate="
                f"{self.cycles or float(self.optimizer.learning_rate)}")

    def noise_share(self, step):
        return tf.cast(self.cycles.phase(step) >= self.exploration, tf.float32)

    def pace(self, step):
        return self.noise_share(step)

    def get_config(self):
        return {**super().get_config(), "exploration": self.exploration}
