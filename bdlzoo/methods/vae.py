"""Variational autoencoder: a density of inputs with a Gaussian code.

    p(x)  = mean over z ~ N(0, I) of p(x | decoder(z))
    q     = N(mean, scale**2),    mean, log scale = encoder(x)
    bound = E_q[-log p(x | decoder(z))] + KL(q || N(0, I))        nats an input
          >= -log p(x)

The encoder proposes codes for an input, the decoder says what an input with that code
looks like; both learn by the bound. It is equal to `-log p(x)` where q is the exact
posterior: for a linear decoder with Gaussian noise the best bound is the evidence of
probabilistic PCA. `log_likelihood` comes closer with more draws:

    log p(x) ~ log mean over s of p(x | z_s) p(z_s) / q(z_s),     z_s ~ q

Reference: Kingma and Welling, Auto-Encoding Variational Bayes, ICLR 2014; Burda et
al., Importance Weighted Autoencoders, ICLR 2016 (the log-likelihood).
"""

import math

import keras
import numpy as np
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core import batches, noise
from bdlzoo.core.gaussian_code import GaussianCode
from bdlzoo.families.latent_model import LatentModel

_WALK = np.linspace(-2.5, 2.5, 11, dtype="float32")


@keras.saving.register_keras_serializable(package="bdlzoo")
class VAE(LatentModel):
    """Learns how inputs are distributed, and makes new ones.

    Args:
        encoder: Keras model from an input to `2 D` numbers, mean and log scale of a
            code of D numbers.
        decoder: Keras model from a code `[B, D]` to as many numbers as an input has.
        likelihood: Density of an input given the outputs of the decoder:
            `"bernoulli_pixels"` for numbers from 0 to 1, `"gaussian_pixels"` for real
            ones; a name, a spec or a `PixelLikelihood`.
        num_samples: Integer, draws of the code in `evaluate`, `predict` and exports.
        num_train_samples: Integer, draws of the code in a training step.
        kl_weight: Float, weight of the KL in training; 1 is the bound. `evaluate`
            always reports the bound.
        num_data: Integer, size of the training set; `None` reads it in `fit`.
        seed: Integer; `None` draws one, which is saved with the model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        encoder = bdlzoo.networks.MLP((28, 28, 1), hidden=(400, 400), outputs=64)
        decoder = bdlzoo.networks.MLP((32,), hidden=(400, 400), outputs=784)
        model = bdlzoo.methods.VAE(encoder, decoder)
        model.compile("adam")
        model.fit(x, validation_data=x_val, epochs=30)
        new = model.generate(64, seed=0)
    """

    config_sections = ("encoder", "decoder", "latent")

    def __init__(self, encoder, decoder, likelihood="bernoulli_pixels", num_samples=16,
                 num_train_samples=1, kl_weight=1.0, num_data=None, seed=None,
                 **kwargs):
        super().__init__(encoder, decoder, likelihood, num_samples=num_samples,
                         num_train_samples=num_train_samples, num_data=num_data,
                         seed=seed, **kwargs)
        self.kl_weight = kl_weight

    @classmethod
    def network_arguments(cls, config, row_shape):
        latent = config["latent"]
        return {"encoder": {"input_shape": row_shape, "outputs": 2 * latent},
                "decoder": {"input_shape": (latent,), "outputs": math.prod(row_shape)}}

    def code_shape_of(self, outputs):
        if len(outputs) != 2 or outputs[-1] % 2:
            raise ValueError(
                "Expected an encoder with an even number of outputs [B, 2 D], mean "
                f"and log scale of a code. Received: outputs of shape {outputs}")
        return (outputs[-1] // 2,)

    @property
    def latent(self):
        """Numbers of a code."""
        return self.code_shape[0]

    # What a step does.

    def posterior(self, x, training=False):
        """Mean and scale of the code of inputs, `[B, D]` each."""
        outputs = tf.cast(self.encoder(x, training=training), tf.float32)
        mean, log_scale = tf.split(outputs, 2, axis=-1)
        return mean, tf.exp(log_scale)

    def prior(self):
        return 0.0, 1.0

    def unit_noise(self, shape, key):
        return noise.normal(shape, key)

    def codes(self, posterior, table):
        mean, scale = posterior
        return mean + scale * table

    def objective(self, x, y, sample_weight, key):
        rows = tf.shape(batches.flat(x)[0])[0]
        shape = [self.num_train_samples, rows, *self.code_shape]
        with noise.draws(noise.fold_in(key, 1)):
            posterior = self.posterior(x, training=True)
            codes = self.codes(posterior, self.unit_noise(shape, noise.fold_in(key, 0)))
            nll = tf.reduce_mean(self.reconstruction_loss(x, codes, True), axis=0)
        nll, kl = (batches.weighed_mean(term, sample_weight)
                   for term in (nll, self.kl(posterior)))
        loss = tf.add_n([nll + self.kl_weight * kl, *self.network_losses()])
        return {"loss": loss, "nll": nll, "kl": kl}, None

    def kl(self, posterior):
        return tf.reduce_sum(tfd.kl_divergence(
            tfd.Normal(*posterior), tfd.Normal(0.0, 1.0)), axis=-1)

    def log_ratio(self, posterior, codes):
        proposal = tfd.Normal(*posterior)
        return tf.reduce_sum(
            tfd.Normal(0.0, 1.0).log_prob(codes) - proposal.log_prob(codes), axis=-1)

    # What a user calls.

    def encode(self, x):
        """Codes of inputs.

        Args:
            x: Inputs, as arrays or tensors.

        Returns:
            `GaussianCode` with `mean`, `scale` and `entropy`.
        """
        return GaussianCode(*self._by_rows(self._coded, x))

    def coded(self, posterior):
        return dict(zip(("code", "code_scale"), posterior))

    def code_pictures(self, x):
        """Images along the coordinates of the code that say most, from one input."""
        mean, scale = self.encode(x)
        says = np.mean(mean**2 + scale**2 - 2.0 * np.log(scale) - 1.0, axis=0) / 2.0
        chosen = np.argsort(-says)[:8]
        codes = np.tile(mean[0], (len(chosen), len(_WALK), 1))
        for place, coordinate in enumerate(chosen):
            codes[place, :, coordinate] = _WALK
        return {"latent_walk": {
            "images": np.asarray(self._decoded(codes)),
            "rows": [f"z[{c}], {says[c]:.1f} nats" for c in chosen],
            "columns": [f"{value:g}" for value in _WALK],
            "title": "One code, moved along a coordinate"}}

    def get_config(self):
        return {**super().get_config(), "kl_weight": self.kl_weight}
