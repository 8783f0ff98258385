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

In evaluation all rows share their noise, so that a row alone gets the same answer as
in a batch, and fewer draws are the first of more.

Reference: Kingma and Welling, Auto-Encoding Variational Bayes, ICLR 2014; Burda et
al., Importance Weighted Autoencoders, ICLR 2016 (the log-likelihood).
"""

import math

import keras
import numpy as np
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core import batches, noise, registry
from bdlzoo.core.checks import check_count, is_as_new
from bdlzoo.core.gaussian_code import GaussianCode
from bdlzoo.model import signatures
from bdlzoo.model.stochastic_model import StochasticModel
from bdlzoo.surgery import conversion, input_shape, output_shape

_CHUNK = 256  # Rows of one call, where a user asks for many.
_WALK = np.linspace(-2.5, 2.5, 11, dtype="float32")


@keras.saving.register_keras_serializable(package="bdlzoo")
class VAE(StochasticModel):
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

    log_names = ("loss", "nll", "kl")
    targets = "none"
    config_sections = ("encoder", "decoder", "latent")
    instead = {
        "predict_uncertainty": "`encode(x)`, whose `scale` and `entropy` say how vague "
        "the code of an input is, or `log_likelihood(x)`, how likely an input is",
        "sample_outputs": "`generate(num_samples)`, which draws new inputs"}

    def __init__(self, encoder, decoder, likelihood="bernoulli_pixels", num_samples=16,
                 num_train_samples=1, kl_weight=1.0, num_data=None, seed=None,
                 **kwargs):
        super().__init__(num_data=num_data, seed=seed, **kwargs)
        check_count("num_samples", num_samples)
        check_count("num_train_samples", num_train_samples)
        for name, network in (("encoder", encoder), ("decoder", decoder)):
            if not isinstance(network, keras.Model):
                raise ValueError("Expected a Keras 3 model. Received: "
                                 f"{name} of type {type(network).__name__}")
        self.encoder = encoder
        self.decoder = decoder
        self.likelihood = registry.build(likelihood)
        self.num_samples = num_samples
        self.num_train_samples = num_train_samples
        self.kl_weight = kl_weight

    @classmethod
    def network_arguments(cls, config, row_shape):
        latent = config["latent"]
        return {"encoder": {"input_shape": row_shape, "outputs": 2 * latent},
                "decoder": {"input_shape": (latent,), "outputs": math.prod(row_shape)}}

    @property
    def blueprint(self):
        """The network that inputs are checked by."""
        return self.encoder

    def build(self, input_shape):
        for network in (self.encoder, self.decoder):
            conversion.adopt(network)
        codes = output_shape.of(self.encoder, input_shape)
        if len(codes) != 2 or codes[-1] % 2:
            raise ValueError(
                "Expected an encoder with an even number of outputs [B, 2 D], mean "
                f"and log scale of a code. Received: outputs of shape {codes}")
        self.latent = codes[-1] // 2
        self._row_shape = tuple(input_shape[1:])
        outputs = output_shape.of(self.decoder, (None, self.latent))
        if math.prod(outputs[1:]) != math.prod(self._row_shape):
            raise ValueError(
                f"Expected a decoder with {math.prod(self._row_shape)} outputs, the "
                f"numbers of an input. Received: outputs of shape {outputs}")
        (self._coded, self._decoded, self._reconstructed, self._estimated,
         self._drawn) = (tf.function(function, reduce_retracing=True) for function in (
             self.posterior, self.decode, self.call, self.log_density, self._codes))

    # What a step does.

    def posterior(self, x, training=False):
        """Mean and scale of the code of inputs, `[B, D]` each."""
        outputs = tf.cast(self.encoder(x, training=training), tf.float32)
        mean, log_scale = tf.split(outputs, 2, axis=-1)
        return mean, tf.exp(log_scale)

    def outputs(self, codes, training=False):
        """Outputs of the decoder in the shape of inputs, for codes `[..., D]`."""
        flat = tf.reshape(codes, [-1, self.latent])
        found = tf.cast(self.decoder(flat, training=training), tf.float32)
        return tf.reshape(found, tf.concat(
            [tf.shape(codes)[:-1], self._row_shape], axis=0))

    def objective(self, x, y, sample_weight, key):
        shape = [self.num_train_samples, tf.shape(batches.flat(x)[0])[0], self.latent]
        with noise.draws(noise.fold_in(key, 1)):
            mean, scale = self.posterior(x, training=True)
            codes = mean + scale * noise.normal(shape, noise.fold_in(key, 0))
            outputs = self.outputs(codes, training=True)  # [S, B, ...]
        nll, kl = self._terms(x, mean, scale, outputs)
        nll, kl = (batches.weighed_mean(term, sample_weight) for term in (nll, kl))
        losses = [*self.encoder.losses, *self.decoder.losses]
        loss = tf.add_n([nll + self.kl_weight * kl, *losses])
        return {"loss": loss, "nll": nll, "kl": kl}, None

    def _terms(self, x, mean, scale, outputs):
        """Both terms of the bound, `[B]` each, by outputs `[S, B, ...]`."""
        nll = -tf.reduce_mean(self.likelihood.log_prob(x, outputs), axis=0)
        kl = tf.reduce_sum(tfd.kl_divergence(
            tfd.Normal(mean, scale), tfd.Normal(0.0, 1.0)), axis=-1)
        return nll, kl

    def scores(self, x, y, key):
        mean, scale = self.posterior(x)
        outputs = self.outputs(mean + scale * self._table(self.num_samples, key))
        nll, kl = self._terms(x, mean, scale, outputs)
        return {"loss": nll + kl, "nll": nll, "kl": kl}

    def _table(self, num_samples, key):
        """Noise of draws, the same for all rows, `[S, 1, D]`."""
        return self._codes(num_samples, key)[:, None]

    def _codes(self, num_samples, key):
        """Codes of the prior, `[S, D]`; fewer are the first of more."""
        return tf.map_fn(lambda one: noise.normal([self.latent], one),
                         noise.split(key, num_samples), fn_output_signature=tf.float32)

    # What a user calls.

    def call(self, inputs):
        """Reconstruction: what codes of an input decode to, the mean over draws."""
        mean, scale = self.posterior(inputs)
        codes = mean + scale * self._table(self.num_samples, self._predict_key())
        return tf.reduce_mean(self.decode(codes), axis=0)

    def decode(self, codes):
        """Means of inputs with given codes.

        Args:
            codes: Tensor `[..., D]`.

        Returns:
            Tensor of codes' shape but for the last axis, which is that of an input.
        """
        return self.likelihood.mean(self.outputs(codes))

    def encode(self, x):
        """Codes of inputs.

        Args:
            x: Inputs, as arrays or tensors.

        Returns:
            `GaussianCode` with `mean`, `scale` and `entropy`.
        """
        return GaussianCode(*self._by_rows(self._coded, x))

    def reconstruct(self, x):
        """Inputs as the model sees them: encoded and decoded again.

        Args:
            x: Inputs, as arrays or tensors.

        Returns:
            Array in the shape of `x`.
        """
        [found] = self._by_rows(lambda rows: [self._reconstructed(rows)], x)
        return found

    def generate(self, num_samples, seed=None):
        """New inputs: means of the density at codes drawn from the prior.

        Args:
            num_samples: Integer, how many; fewer are the first of more.
            seed: Integer, or a pair; `None` takes the model's.

        Returns:
            Array `[num_samples, ...]`.
        """
        self.check_ready()
        check_count("num_samples", num_samples)
        # In a graph: a loop over draws in Python would take longer than decoding them.
        codes = self._drawn(tf.constant(num_samples), self._predict_key(seed))
        return np.concatenate([self._decoded(codes[start:start + _CHUNK])
                               for start in range(0, num_samples, _CHUNK)])

    def log_likelihood(self, x, num_samples=1000, seed=None):
        """Log density of inputs, by importance sampling: a lower bound on average.

        Args:
            x: Inputs, as arrays or tensors.
            num_samples: Integer, draws of the code; more come closer.
            seed: Integer, or a pair; `None` takes the model's.

        Returns:
            Array `[B]`, nats.
        """
        check_count("num_samples", num_samples)
        key, count = self._predict_key(seed), tf.constant(num_samples)
        [found] = self._by_rows(lambda rows: [self._estimated(rows, count, key)], x)
        return found

    def log_density(self, x, num_samples, key):
        """What `log_likelihood` returns, inside a graph."""
        mean, scale = self.posterior(x)
        proposal = tfd.Normal(mean, scale)

        def weight(one):
            codes = mean + scale * noise.normal([1, self.latent], one)
            gap = tfd.Normal(0.0, 1.0).log_prob(codes) - proposal.log_prob(codes)
            return self.likelihood.log_prob(x, self.outputs(codes)) + tf.reduce_sum(
                gap, axis=-1)

        weights = tf.map_fn(weight, noise.split(key, num_samples),
                            fn_output_signature=tf.float32)  # [S, B]
        return tf.reduce_logsumexp(weights, axis=0) - tf.math.log(
            tf.cast(num_samples, tf.float32))

    def endpoints(self, **options):
        def answer(inputs):
            mean, scale = self.posterior(inputs)
            bound = self.scores(inputs, None, self._predict_key())["loss"]
            return {"code": mean, "code_scale": scale, "bound": bound,
                    "reconstruction": self.call(inputs)}

        def encode(inputs):
            return dict(zip(("code", "code_scale"), self.posterior(inputs)))

        def generate(num_samples, key):
            return {"samples": self.decode(self._codes(num_samples, key))}

        def log_likelihood(inputs, num_samples, key):
            return {"log_likelihood": self.log_density(inputs, num_samples, key)}

        rows, draws = ("inputs",), ("num_samples", "seed")
        return signatures.signatures(self, {
            "serving_default": (answer, rows), "encode": (encode, rows),
            "reconstruct": (lambda inputs: {"reconstruction": self.call(inputs)}, rows),
            "generate": (generate, draws),
            "log_likelihood": (log_likelihood, rows + draws)}, **options)

    def served_parts(self):
        return [self.encoder, self.decoder, self.likelihood]

    def check_data(self, x, y):
        super().check_data(x, y)
        input_shape.check(self.encoder, x)
        self.likelihood.check_inputs(x)

    def quick_check(self, x, y):
        sure = super().quick_check(x, y) & self.likelihood.quick_check(x)
        return sure & is_as_new(self.likelihood, "quick_check", "check_inputs")

    def pictures(self, x):
        if len(self._row_shape) != 3:
            return {}
        shown = x[:10]
        return {
            "samples": ("image_grid", {
                "images": self.generate(64).reshape(8, 8, *self._row_shape),
                "title": "Drawn from the model"}),
            "reconstructions": ("image_grid", {
                "images": np.stack([shown, self.reconstruct(shown)]),
                "rows": ("input", "reconstruction")}),
            "latent_walk": ("image_grid", self._walk(x[:1000]))}

    def _walk(self, x):
        """Images along the coordinates of the code that say most, from one input."""
        mean, scale = self.encode(x)
        says = np.mean(mean**2 + scale**2 - 2.0 * np.log(scale) - 1.0, axis=0) / 2.0
        chosen = np.argsort(-says)[:8]
        codes = np.tile(mean[0], (len(chosen), len(_WALK), 1))
        for place, coordinate in enumerate(chosen):
            codes[place, :, coordinate] = _WALK
        return {"images": np.asarray(self._decoded(codes)),
                "rows": [f"z[{c}], {says[c]:.1f} nats" for c in chosen],
                "columns": [f"{value:g}" for value in _WALK],
                "title": "One code, moved along a coordinate"}

    def _predict_key(self, seed=None):
        return noise.key(self.seed if seed is None else seed, noise.PREDICT)

    def _by_rows(self, function, x):
        """Arrays that a function of rows returns, some rows at a time."""
        x = tf.nest.map_structure(tf.convert_to_tensor, x)
        self.build_once(x)
        self.check_data(x, None)
        parts = [function(batches.take(x, slice(start, start + _CHUNK)))
                 for start in range(0, batches.num_rows(x), _CHUNK)]
        return [np.concatenate(found) for found in zip(*parts)]

    def get_config(self):
        serialize = keras.saving.serialize_keras_object
        return {**super().get_config(), "encoder": serialize(self.encoder),
                "decoder": serialize(self.decoder),
                "likelihood": serialize(self.likelihood),
                "num_samples": self.num_samples,
                "num_train_samples": self.num_train_samples,
                "kl_weight": self.kl_weight}

    @classmethod
    def from_config(cls, config):
        parts = {name: keras.saving.deserialize_keras_object(config[name])
                 for name in ("encoder", "decoder", "likelihood")}
        return cls(**{**config, **parts})
