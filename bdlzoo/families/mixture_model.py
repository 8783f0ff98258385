"""Base class of models whose classes are components of a density of inputs.

    p(x)     = mean over classes z and codes h ~ N(0, I) of p(x | decoder(z, h))
    q(z | x) = softmax(network(x)),    q(h | x, z) = N(mean_z, scale_z**2)
    bound    = sum over z of q(z | x) loss_z + log K - entropy(q(z | x)) >= -log p(x)
    loss_z   = E_q[-log p(x | decoder(z, h))] + KL(q(h | x, z) || N(0, I))

Such a model is a classifier, with draws, calibration and signatures of its own kind,
and a density model that makes inputs of a class. The encoder proposes a code for each
class, and the decoder gets the K codes side by side, all but that of the class being 0.
Classes are summed over, and all rows share the noise of their codes, so that a row
alone gets the same answer as in a batch.
"""

import math

import keras
import numpy as np
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core import batches, keras_internals, noise, registry
from bdlzoo.core.checks import is_as_new
from bdlzoo.core.mixture_code import MixtureCode
from bdlzoo.families.class_generator import DRAWN, ClassGenerator
from bdlzoo.families.latent_model import by_rows, check_decoder, over_rows
from bdlzoo.likelihoods import Categorical
from bdlzoo.model import signatures
from bdlzoo.model.predictive_model import PredictiveModel
from bdlzoo.surgery import conversion, output_shape

_PARTS = ("encoder", "decoder", "input_likelihood")


class MixtureModel(ClassGenerator, PredictiveModel):
    """Predicts classes, and makes inputs of each class.

    A subclass writes `objective`.

    Args:
        network: Keras model from an input to the logits of K classes.
        encoder: Keras model from an input to `2 K D` numbers: means of the codes of
            all classes, then their log scales.
        decoder: Keras model from codes `[B, K D]` to as many numbers as an input has.
        likelihood: Likelihood of the labels, categorical.
        input_likelihood: Name, spec or `PixelLikelihood` of an input given the outputs
            of the decoder.
        **kwargs: Arguments of `PredictiveModel`: `num_samples`, `num_data`, `seed`.
    """

    log_names = ("loss", "nll", "bound", "sampled_accuracy")
    needs_num_data = False
    draws_differ = False
    config_sections = ("network", "encoder", "decoder", "latent")

    def __init__(self, network, encoder, decoder, likelihood="categorical",
                 input_likelihood="bernoulli_pixels", **kwargs):
        super().__init__(network, likelihood, **kwargs)
        for part in (encoder, decoder):
            conversion.check_network(part)
        self.encoder = encoder
        self.decoder = decoder
        self.input_likelihood = registry.build(input_likelihood)

    @classmethod
    def network_arguments(cls, config, row_shape):
        codes = config["network"]["outputs"] * config["latent"]
        return {"encoder": {"input_shape": row_shape, "outputs": 2 * codes},
                "decoder": {"input_shape": (codes,), "outputs": math.prod(row_shape)}}

    def build(self, input_shape):
        super().build(input_shape)
        self.refuse_positions(self._output_dims, "the class is that of an input")
        if not isinstance(self.likelihood, Categorical) or (
                not self.likelihood.from_logits):
            raise ValueError(
                "Expected the likelihood of classes that a network gives logits of, "
                f"\"categorical\". Received: likelihood={self.likelihood}")
        if any(hasattr(part, "kl") for part in keras_internals.layers(self.network)):
            raise ValueError(
                "Expected a network without variational layers, whose divergence this "
                f"loss has not. Received: network {self.network.name}")
        for network in (self.encoder, self.decoder):
            conversion.adopt(network)
        classes = self.num_classes = self._output_dims[-1]
        codes = output_shape.of(self.encoder, input_shape)
        if len(codes) != 2 or codes[-1] % (2 * classes):
            raise ValueError(
                f"Expected an encoder with outputs [B, 2 K D]: means and log scales of "
                f"a code for each of K={classes} classes. Received: outputs of shape "
                f"{codes}")
        self.latent = codes[-1] // (2 * classes)
        self._row_shape = tuple(input_shape[1:])
        check_decoder(self.decoder, classes * self.latent, self._row_shape)
        (self._coded, self._bounded, self._reconstructed, self._estimated, self._moved,
         self._drawn) = (tf.function(function, reduce_retracing=True) for function in (
             self.posterior, self.row_bounds, self.reconstructions, self.log_density,
             self.transferred, self.samples))

    def codes_of(self, x, training=False):
        """Mean and scale of the code of each class, `[B, K, D]` each."""
        outputs = tf.cast(self.encoder(x, training=training), tf.float32)
        shape = [-1, 2, self.num_classes, self.latent]
        mean, log_scale = tf.unstack(tf.reshape(outputs, shape), axis=1)
        return mean, tf.exp(log_scale)

    def outputs(self, choice, codes, training=False):
        """Outputs of the decoder in the shape of inputs.

        Args:
            choice: Weights of the classes `[..., K]`: one-hot rows, or relaxed ones.
            codes: Codes `[..., K, D]`.
            training: Bool.
        """
        chosen = choice[..., None] * codes
        flat = tf.reshape(chosen, [-1, self.num_classes * self.latent])
        found = tf.cast(self.decoder(flat, training=training), tf.float32)
        return tf.reshape(found, tf.concat(
            [tf.shape(chosen)[:-2], self._row_shape], axis=0))

    # What graphs compute.

    def posterior(self, x):
        """Logits of the classes, and mean and scale of the code of each."""
        return (tf.cast(self.network(x, training=False), tf.float32), *self.codes_of(x))

    def row_bounds(self, x, num_samples, key):
        """What `bound` returns."""
        logits, mean, scale = self.posterior(x)
        nll = -self._mean_over_draws(lambda unit: self.input_likelihood.log_prob(
            x, self._every(mean + scale * unit)), num_samples, key)  # [K, B]
        losses = tf.transpose(nll) + gaussian_kl(mean, scale)
        return tf.reduce_sum(tf.nn.softmax(logits) * losses, axis=-1) + (
            class_kl(logits))

    def log_density(self, x, num_samples, key):
        """What `log_likelihood` returns."""
        mean, scale = self.codes_of(x)
        proposal, prior = tfd.Normal(mean, scale), tfd.Normal(0.0, 1.0)

        def weight(unit):
            codes = mean + scale * unit
            ratio = tf.reduce_sum(
                prior.log_prob(codes) - proposal.log_prob(codes), axis=-1)
            return self.input_likelihood.log_prob(
                x, self._every(codes)) + tf.transpose(ratio)  # [K, B]

        weights = self._draws(weight, num_samples, key)  # [S, K, B]
        return tf.reduce_logsumexp(weights, axis=[0, 1]) - tf.math.log(
            tf.cast(num_samples * self.num_classes, tf.float32))

    def reconstructions(self, x, num_samples, key):
        """What `reconstruct` returns."""
        logits, mean, scale = self.posterior(x)
        return self._mean_over_draws(lambda unit: tf.einsum(
            "bk,kb...->b...", tf.nn.softmax(logits), self.input_likelihood.mean(
                self._every(mean + scale * unit))), num_samples, key)

    def transferred(self, x, labels, num_samples, key):
        """What `transfer` returns."""
        mean, scale = self.codes_of(x)
        choice = tf.one_hot(labels, self.num_classes)
        return self._mean_over_draws(lambda unit: self.input_likelihood.mean(
            self.outputs(choice, mean + scale * unit)), num_samples, key)

    def samples(self, labels, key):
        """What `generate` returns: means of the density at codes of the prior."""
        choice, unit = self.draws_of(labels, key, lambda one: noise.normal(
            [1, self.latent], one))  # [S, K], [S, 1, D]
        return self.input_likelihood.mean(self.outputs(choice, unit))

    def _every(self, codes):
        """Outputs of the decoder for each class `[K, B, ...]`, of codes `[B, K, D]`."""
        return self.outputs(tf.eye(self.num_classes)[:, None], codes)

    def _draws(self, function, num_samples, key):
        """A function of noise `[1, 1, D]`, which all rows and classes share."""
        return tf.map_fn(
            lambda one: function(noise.normal([1, 1, self.latent], one)),
            noise.split(key, num_samples), fn_output_signature=tf.float32)

    def _mean_over_draws(self, function, num_samples, key):
        return tf.reduce_mean(self._draws(function, num_samples, key), axis=0)

    # What a user calls.

    def encode(self, x):
        """Codes of inputs.

        Args:
            x: Inputs, as arrays or tensors.

        Returns:
            `MixtureCode` with `probs`, `label` and `entropy` of the class, and `mean`
            and `scale` of the code of each class.
        """
        # A function that is there when the model is built.
        logits, mean, scale = self._by_rows(lambda rows: self._coded(rows), x)
        return MixtureCode(tf.nn.softmax(logits).numpy(), mean, scale)

    def bound(self, x, num_samples=None, seed=None):
        """Bound on minus the log density of inputs; classes are summed over.

        Args:
            x: Inputs, as arrays or tensors.
            num_samples: Integer, draws of the codes; `None` takes that of the model.
            seed: Integer, or a pair; `None` takes the model's.

        Returns:
            Array `[B]`, nats.
        """
        return over_rows(self, "_bounded", num_samples, seed, x)

    def log_likelihood(self, x, num_samples=100, seed=None):
        """Log density of inputs: a sum over classes, importance sampling in each.

        Args:
            x: Inputs, as arrays or tensors.
            num_samples: Integer, draws of the codes; more come closer, from below on
                average.
            seed: Integer, or a pair; `None` takes the model's.

        Returns:
            Array `[B]`, nats.
        """
        return over_rows(self, "_estimated", num_samples, seed, x)

    def reconstruct(self, x):
        """Inputs as the model sees them: encoded and decoded again.

        Args:
            x: Inputs, as arrays or tensors.

        Returns:
            Array in the shape of `x`.
        """
        return over_rows(self, "_reconstructed", None, None, x)

    def transfer(self, x, labels):
        """Inputs as those of other classes would look, with the same noise.

        Args:
            x: Inputs, as arrays or tensors.
            labels: Integer, the class of all, or integers `[B]`.

        Returns:
            Array in the shape of `x`.
        """
        labels = self.labels_of_rows(labels, len(x))
        return over_rows(self, "_moved", None, None, x, labels)

    def _by_rows(self, function, x, *further):
        x = tf.nest.map_structure(tf.convert_to_tensor, self.as_inputs(x))
        self.build_once(x)
        self.check_inputs(x)
        self.input_likelihood.check_inputs(x)
        return by_rows(function, x, *map(tf.constant, further))

    def endpoints(self, **options):
        key, count = self._predict_key(), self.num_samples

        def encode(inputs):
            logits, mean, scale = self.posterior(inputs)
            return {"class_probabilities": tf.nn.softmax(logits), "code": mean,
                    "code_scale": scale}

        def generate(num_samples, key):
            return {"samples": self.samples(tf.fill([num_samples], DRAWN), key)}

        def log_likelihood(inputs, num_samples, key):
            return {"log_likelihood": self.log_density(inputs, num_samples, key)}

        def image(function):
            return lambda *rows: {"reconstruction": function(*rows, count, key)}

        rows, draws = ("inputs",), ("num_samples", "seed")
        return {**super().endpoints(**options), **signatures.signatures(self, {
            "encode": (encode, rows),
            "bound": (lambda inputs: {"bound": self.row_bounds(inputs, count, key)},
                      rows),
            "reconstruct": (image(self.reconstructions), rows),
            "transfer": (image(self.transferred), (*rows, "labels")),
            "generate": (generate, draws),
            "generate_labelled": (lambda labels, key: {
                "samples": self.samples(labels, key)}, ("labels", "seed")),
            "log_likelihood": (log_likelihood, rows + draws)}, **options)}

    # What `evaluate` and reports show.

    def test_step(self, data):
        x, _, sample_weight = batches.unpack(data)
        results = super().test_step(data)
        bound = self.row_bounds(x, self.num_samples, self._predict_key())
        return {**results, **self.reduced(self.track({"bound": bound}, sample_weight))}

    def test_logs(self, y, draws, counted):
        right = tf.exp(self.likelihood.log_prob(y, draws))
        return {"sampled_accuracy": tf.reduce_mean(right, axis=0)}

    def check_data(self, x, y):
        super().check_data(x, y)
        self.input_likelihood.check_inputs(x)

    def quick_check(self, x, y):
        sure = super().quick_check(x, y) & self.input_likelihood.quick_check(x)
        return sure & is_as_new(self.input_likelihood, "quick_check", "check_inputs")

    def check_side_data(self, name, x, beside):
        super().check_side_data(name, x, beside)
        self.input_likelihood.check_inputs(x)

    def pictures(self, x):
        if len(self._row_shape) != 3:
            return {}
        classes, shown = range(self.num_classes), x[:10]
        return {
            "samples": ("image_grid", {
                "images": np.stack([self.generate(10, label) for label in classes]),
                "rows": [str(label) for label in classes],
                "title": "Drawn from the model: a class a row, a code a column"}),
            "transfer": ("image_grid", {
                "images": np.stack([shown, self.reconstruct(shown), *(
                    self.transfer(shown, label) for label in classes)], axis=1),
                "columns": ["input", "reconstruction", *map(str, classes)],
                "title": "Inputs, and what each class makes of them"})}

    def get_config(self):
        config = {**super().get_config(), **{
            name: keras.saving.serialize_keras_object(getattr(self, name))
            for name in _PARTS}}
        del config["num_train_samples"]  # One draw in a step.
        return config

    @classmethod
    def from_config(cls, config):
        return super().from_config({**config, **{
            name: keras.saving.deserialize_keras_object(config[name])
            for name in _PARTS}})


def gaussian_kl(mean, scale):
    """KL of the Gaussian codes from their prior, `[B, K]`."""
    return tf.reduce_sum(tfd.kl_divergence(
        tfd.Normal(mean, scale), tfd.Normal(0.0, 1.0)), axis=-1)


def class_kl(logits):
    """KL of the class from the uniform prior, `[B]`."""
    log_probs = tf.nn.log_softmax(logits)
    return math.log(logits.shape[-1]) + tf.reduce_sum(
        tf.exp(log_probs) * log_probs, axis=-1)
