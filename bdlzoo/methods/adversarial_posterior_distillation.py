"""Adversarial posterior distillation: a generator of networks.

    w     samples of the posterior, kept from chains of SGLD
    G     z ~ N(0, I) to a vector of weights, trained against a critic on the w
    p(y | x) = mean over draws z of p(y | x, G(z))

A student of the mean prediction loses the disagreement of the samples; the generator
keeps it. It needs the memory of about `width + 1` stored samples and makes any number
of new ones. The losses are in `bdlzoo.families.gan_losses`.

Online (`fit`), the generator learns from the newest `num_kept` samples of each
chain while the chains run, one step for every `distill_every` steps of the chains.
Offline (`distill`), it learns from samples that were kept before, of any sampler or
file.

Reference: Wang et al., Adversarial Distillation of Bayesian Neural Network
Posteriors, ICML 2018.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import keras_internals, noise
from bdlzoo.core.draw_places import places
from bdlzoo.families.distilling_model import DistillingModel
from bdlzoo.families.weight_gan import WeightGAN


@keras.saving.register_keras_serializable(package="bdlzoo")
class AdversarialPosteriorDistillation(DistillingModel):
    """Trains a GAN on samples of the weights from chains.

    Args:
        network: Keras model whose outputs the likelihood reads: logits for classes,
            means for numbers. Chains start from their own initial weights, not from
            those of the model. It has no layers with running statistics, which a
            generator could make negative.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
            Its own parameters, such as a noise scale, are fitted and not sampled.
        num_chains: Integer, chains that run side by side in one computation.
        burn_in: Integer, steps before samples are kept.
        thinning: Integer, steps from one kept sample to the next.
        mode: Losses of the GAN: `"gan"`, `"wgan"` or `"wgan_gp"`.
        width: Integer, units of the hidden layers of generator and critic.
        latent: Integer, length of the noise that the generator reads.
        standardize: Bool, whether each weight is scaled to mean 0 and standard
            deviation 1 for the GAN.
        gan_batch: Integer, samples in one update of the critic.
        distill_every: Integer, steps of the chains for each step of the generator.
        num_kept: Integer, samples that are kept of each chain, the newest ones: the
            data of the GAN.
        temperature: Float, 1 for the Bayes posterior, 0 for gradient descent without
            noise.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for a flat prior.
        sample_file: Path of a file to which all samples are written, also those that
            the model drops; `None` for no file.
        own_order: Bool, whether each chain sees arrays in its own order; batches of a
            dataset are the same for all chains.
        num_samples: Integer, networks that the generator makes for a prediction.
        num_train_samples: Integer, draws in a training step. It has no effect here: a
            step makes one pass through each chain's network.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.AdversarialPosteriorDistillation(
            network, burn_in=500, thinning=20, width=20)
        model.compile(keras.optimizers.SGD(0.025))
        model.fit(x, y, epochs=40)
    """

    log_names = ("loss", "nll", "kl", "critic_loss", "generator_loss", "penalty")

    def __init__(self, network, likelihood="categorical", num_chains=1, burn_in=0,
                 thinning=1, mode="wgan_gp", width=100, latent=32, standardize=True,
                 gan_batch=100, distill_every=1, num_kept=1000, temperature=1.0,
                 prior_scale=1.0, sample_file=None, own_order=False, num_samples=100,
                 num_train_samples=1, kl_weight=1.0, num_data=None, seed=None,
                 **kwargs):
        super().__init__(
            network, likelihood, num_chains=num_chains, burn_in=burn_in,
            thinning=thinning, num_kept=num_kept, temperature=temperature,
            prior_scale=prior_scale, sample_file=sample_file, own_order=own_order,
            num_samples=num_samples, num_train_samples=num_train_samples,
            kl_weight=kl_weight, num_data=num_data, seed=seed, **kwargs)
        for name, value in (("gan_batch", gan_batch),
                            ("distill_every", distill_every)):
            if not isinstance(value, (int, np.integer)) or value < 1:
                raise ValueError("Expected a whole number of at least 1. Received: "
                                 f"{name}={value!r}")
        self.mode = mode
        self.width = width
        self.latent = latent
        self.standardize = standardize
        self.gan_batch = gan_batch
        self.distill_every = distill_every

    @classmethod
    def from_sampler(cls, sampler, **kwargs):
        """Makes a model that distils a sampler which has run before.

        Args:
            sampler: Built sampler, such as `SGLD`. Its network, likelihood and
                prior are used; its seed too, if none is given.
            **kwargs: Other arguments of this class, such as `width`; `num_kept`
                is 1 by default.

        Returns:
            Built and compiled model; call `distill(sampler.kept_samples())`.
        """
        config = sampler.network.plain.get_config()
        model = cls(type(sampler.network.plain).from_config(config),
                    sampler.likelihood, prior_scale=sampler.prior_scale,
                    **{"num_kept": 1, "seed": sampler.seed, **kwargs})
        model.compile()
        model.build(sampler.get_build_config()["input_shape"])
        return model

    def build(self, input_shape):
        super().build(input_shape)
        for layer in keras_internals.layers(self.blueprint):
            if isinstance(layer, keras.layers.BatchNormalization):
                raise ValueError(
                    "Expected layers without running statistics: take "
                    "`LayerNormalization` or `GroupNormalization`. Received: "
                    f"{layer.name} of type {type(layer).__name__}")
        self.gan = WeightGAN(
            self.flat.size, self.mode, self.width, self.latent, self.standardize,
            seed=self.seed)
        self.gan.compile(jit_compile=self.jit_compile if self.compiled else False)

    def build_optimizers(self):
        super().build_optimizers()
        self.gan.build_optimizers()

    def on_state(self, state, kept):
        self.gan.observe(state, tf.cast(kept, tf.float32))

    def learn(self, x, key):
        del x  # The samples are the data.
        replicas = tf.distribute.get_replica_context().num_replicas_in_sync
        step = self.optimizer.iterations - 1  # The chains have moved on.
        due = (self.num_stored > 0) & (step % self.distill_every == 0)
        if replicas > 1 and (self.burn_in, self.thinning, self.distill_every) != (
                0, 1, 1):
            raise ValueError(
                "Expected one device, or a step of the generator after every step of "
                "the chains. Received: "
                f"{replicas} replicas with burn_in={self.burn_in}, thinning="
                f"{self.thinning}, distill_every={self.distill_every}")
        logs = self._step(key) if replicas > 1 else tf.cond(
            due, lambda: self._step(key), self.gan.no_logs)
        logs = {"critic_loss" if name == "loss" else name: value
                for name, value in logs.items()}
        self.num_learnt.assign(self.num_learnt + tf.cast(due, tf.int32))
        return self.track(logs, tf.cast(due, tf.float32))

    def _step(self, key):
        """Trains the GAN on random samples among those that are kept."""
        stored = self.num_chains * tf.minimum(self.num_stored, self.num_kept)
        count = self.gan_batch * self.gan.critic_steps
        uniforms = noise.uniform([count], noise.fold_in(key, 0))
        places = tf.cast(uniforms * tf.cast(stored, tf.float32), tf.int32)
        real = tf.gather(tf.reshape(self.samples, [-1, self.flat.size]),
                         tf.minimum(places, stored - 1))
        return self.gan.learn(real, noise.fold_in(key, 1))

    def distill(self, samples, steps, callbacks=None, verbose="auto", every=100):
        """Trains generator and critic on samples that were kept before.

        Args:
            samples: Array `[n, D]` or `[n, chains, D]`, such as
                `sampler.kept_samples()`, or the memory map of a file.
            steps: Integer, steps of the generator.
            callbacks: List of Keras callbacks; their `model` is the GAN.
            verbose: Progress bar as in `keras.Model.fit`: `"auto"`, 0, 1 or 2.
            every: Integer, steps of an epoch, after which callbacks are called.

        Returns:
            `keras.callbacks.History` of the GAN.
        """
        samples = np.reshape(samples, [-1, np.shape(samples)[-1]])
        self.gan.set_statistics(samples)
        history = self.gan.fit(
            samples, batch_size=min(self.gan_batch, len(samples)),
            epochs=max(1, steps // every), steps_per_epoch=min(steps, every),
            callbacks=callbacks, verbose=verbose)
        self.num_learnt.assign(self.num_learnt + steps)
        return history

    def draw_parts(self, inputs, num_samples, key):
        normals = self.gan.latents(num_samples, key)

        def part(first, count):
            mine = tf.gather(normals, places(first, count, num_samples))
            return self.flat.outputs(
                lambda place: self.gan(tf.gather(mine, place)), count, inputs)

        return part

    def served_parts(self):
        return [*self.gan.served_parts(), self.likelihood, self.calibration]

    def get_config(self):
        return {**super().get_config(), **{name: getattr(self, name) for name in (
            "mode", "width", "latent", "standardize", "gan_batch", "distill_every")}}
