"""Base class of density models with a code: an encoder, a decoder, and a bound.

    p(x)  = mean over codes z of the prior of p(x | decoder(z))
    bound = E_q[-log p(x | decoder(z))] + KL(q || prior) >= -log p(x)

In evaluation all rows share their noise, so that a row alone gets the same answer as
in a batch, and fewer draws are the first of more.
"""

import math

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import batches, keras_internals, noise, registry
from bdlzoo.core.checks import check_count, is_as_new
from bdlzoo.model import signatures
from bdlzoo.model.stochastic_model import StochasticModel
from bdlzoo.surgery import conversion, input_shape, output_shape

_CHUNK = 256  # Rows of one call, where a user asks for many.


class LatentModel(StochasticModel):
    """Learns how inputs are distributed, by codes of them.

    A subclass writes `code_shape_of` (from the shape of the encoder's outputs),
    `posterior`, `prior`, `unit_noise`, `codes`, `kl`, `log_ratio`, `coded`, `encode`
    and `objective`.

    Args:
        encoder: Keras model from an input to what says its code.
        decoder: Keras model from a flat code to as many numbers as an input has.
        likelihood: Name, spec or `PixelLikelihood` of an input given the outputs of
            the decoder.
        num_samples: Integer, draws of the code in `evaluate`, `predict` and exports.
        num_train_samples: Integer, draws of the code in a training step.
        **kwargs: Arguments of `StochasticModel`: `num_data`, `seed`.
    """

    log_names = ("loss", "nll", "kl")
    targets = "none"
    config_sections = ("encoder", "decoder")
    instead = {
        "predict_uncertainty": "`encode(x)`, whose `entropy` says how vague the code "
        "of an input is, or `log_likelihood(x)`, how likely an input is",
        "sample_outputs": "`generate(num_samples)`, which draws new inputs"}

    def __init__(self, encoder, decoder, likelihood="bernoulli_pixels", *,
                 num_samples=16, num_train_samples=1, **kwargs):
        super().__init__(**kwargs)
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

    @property
    def blueprint(self):
        """The network that inputs are checked by."""
        return self.encoder

    def build(self, input_shape):
        for network in (self.encoder, self.decoder):
            conversion.adopt(network)
        self.code_shape = self.code_shape_of(output_shape.of(self.encoder, input_shape))
        self._row_shape = tuple(input_shape[1:])
        check_decoder(self.decoder, math.prod(self.code_shape), self._row_shape)
        (self._coded, self._decoded, self._reconstructed, self._bounded,
         self._estimated, self._drawn) = (
             tf.function(function, reduce_retracing=True) for function in (
                 self._tuple_of_codes, self.decode, self.call, self.row_bounds,
                 self.log_density, self.prior_codes))

    def _tuple_of_codes(self, x):
        return tuple(self.coded(self.posterior(x)).values())

    # What a step does.

    def posterior(self, x, training=False):
        """Tuple of tensors that say the law of the codes of inputs, `[B, ...]`."""
        raise NotImplementedError

    def outputs(self, codes, training=False):
        """Outputs of the decoder in the shape of inputs, for codes `[..., *code]`."""
        flat = tf.reshape(codes, [-1, math.prod(self.code_shape)])
        found = tf.cast(self.decoder(flat, training=training), tf.float32)
        lead = tf.shape(codes)[:-len(self.code_shape)]
        return tf.reshape(found, tf.concat([lead, self._row_shape], axis=0))

    def reconstruction_loss(self, x, codes, training=False):
        """-log p(x | code), `[S, B]`, for codes `[S, B, *code]`."""
        return -self.likelihood.log_prob(x, self.outputs(codes, training))

    def network_losses(self):
        """Further losses of the networks, such as weight decay."""
        return [*self.encoder.losses, *self.decoder.losses]

    def scores(self, x, y, key):
        posterior = self.posterior(x)
        nll = self.mean_loss(x, posterior, self.num_samples, key)
        kl = self.kl(posterior)
        return {"loss": nll + kl, "nll": nll, "kl": kl}

    def mean_loss(self, x, posterior, num_samples, key):
        """Mean of -log p(x | code) over codes of the posterior, `[B]`."""
        codes = self.codes(posterior, self._table(num_samples, key))
        return tf.reduce_mean(self.reconstruction_loss(x, codes), axis=0)

    def row_bounds(self, x, num_samples, key):
        """What `bound` returns, inside a graph."""
        posterior = self.posterior(x)
        return self.mean_loss(x, posterior, num_samples, key) + self.kl(posterior)

    def _table(self, num_samples, key):
        """Noise of draws, the same for all rows, `[S, 1, *code]`."""
        return tf.map_fn(lambda one: self.unit_noise([1, *self.code_shape], one),
                         noise.split(key, num_samples), fn_output_signature=tf.float32)

    def prior_codes(self, num_samples, key):
        """Codes of the prior, `[S, *code]`; fewer are the first of more."""
        return self.codes(self.prior(), self._table(num_samples, key)[:, 0])

    # What a user calls.

    def call(self, inputs):
        """Reconstruction: what codes of an input decode to, the mean over draws."""
        codes = self.codes(self.posterior(inputs),
                           self._table(self.num_samples, self._predict_key()))
        return tf.reduce_mean(self.decode(codes), axis=0)

    def decode(self, codes):
        """Means of inputs with given codes.

        Args:
            codes: Tensor of codes, with any leading axes.

        Returns:
            Tensor with these axes, then those of an input.
        """
        return self.likelihood.mean(self.outputs(codes))

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
        [found] = by_rows(lambda rows: [self._decoded(rows)], codes)
        return found

    def bound(self, x, num_samples=None, seed=None):
        """Bound on minus the log density of inputs: mean loss of the codes, and KL.

        Args:
            x: Inputs, as arrays or tensors.
            num_samples: Integer, draws of the code; `None` takes that of the model.
            seed: Integer, or a pair; `None` takes the model's.

        Returns:
            Array `[B]`, nats.
        """
        return over_rows(self, "_bounded", num_samples, seed, x)

    def log_likelihood(self, x, num_samples=1000, seed=None):
        """Log density of inputs, by importance sampling: a lower bound on average.

        Args:
            x: Inputs, as arrays or tensors.
            num_samples: Integer, draws of the code; more come closer.
            seed: Integer, or a pair; `None` takes the model's.

        Returns:
            Array `[B]`, nats.
        """
        return over_rows(self, "_estimated", num_samples, seed, x)

    def log_density(self, x, num_samples, key):
        """What `log_likelihood` returns, inside a graph."""
        posterior = self.proposal(self.posterior(x))

        def weight(one):
            codes = self.codes(posterior, self.unit_noise([1, *self.code_shape], one))
            return self.likelihood.log_prob(x, self.outputs(codes)) + self.log_ratio(
                posterior, codes)

        weights = tf.map_fn(weight, noise.split(key, num_samples),
                            fn_output_signature=tf.float32)  # [S, B]
        return tf.reduce_logsumexp(weights, axis=0) - tf.math.log(
            tf.cast(num_samples, tf.float32))

    def proposal(self, posterior):
        """What importance sampling draws from; its densities must be known."""
        return posterior

    def endpoints(self, **options):
        def bound(inputs):
            return {"bound": self.row_bounds(
                inputs, self.num_samples, self._predict_key())}

        def answer(inputs):
            return {**self.coded(self.posterior(inputs)), **bound(inputs),
                    "reconstruction": self.call(inputs)}

        def generate(num_samples, key):
            return {"samples": self.decode(self.prior_codes(num_samples, key))}

        def log_likelihood(inputs, num_samples, key):
            return {"log_likelihood": self.log_density(inputs, num_samples, key)}

        rows, draws = ("inputs",), ("num_samples", "seed")
        return signatures.signatures(self, {
            "serving_default": (answer, rows),
            "encode": (lambda inputs: self.coded(self.posterior(inputs)), rows),
            "bound": (bound, rows),
            "reconstruct": (lambda inputs: {"reconstruction": self.call(inputs)}, rows),
            "decode": (lambda code: {"samples": self.decode(self.read_code(code))},
                       (self.code_spec,)),
            "generate": (generate, draws),
            "log_likelihood": (log_likelihood, rows + draws)}, **options)

    @property
    def code_spec(self):
        """Spec of the codes that a served model decodes, and returns as `code`."""
        return tf.TensorSpec([None, *self.code_shape], tf.float32, "code")

    def read_code(self, code):
        """Codes of that spec as `decode` takes them."""
        return code

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
            **{name: ("image_grid", arguments)
               for name, arguments in self.code_pictures(x[:1000]).items()}}

    def code_pictures(self, x):
        """Grids of images that show the code, by name; `x` are some inputs."""
        del x
        return {}

    def _predict_key(self, seed=None):
        return noise.key(self.seed if seed is None else seed, noise.PREDICT)

    def _by_rows(self, function, x):
        """Arrays that a function of rows returns, once the rows are checked."""
        x = tf.nest.map_structure(tf.convert_to_tensor, x)
        self.build_once(x)
        self.check_data(x, None)
        return by_rows(function, x)

    def get_config(self):
        serialize = keras.saving.serialize_keras_object
        return {**super().get_config(), "encoder": serialize(self.encoder),
                "decoder": serialize(self.decoder),
                "likelihood": serialize(self.likelihood),
                "num_samples": self.num_samples,
                "num_train_samples": self.num_train_samples}

    @classmethod
    def from_config(cls, config):
        parts = {name: keras.saving.deserialize_keras_object(config[name])
                 for name in ("encoder", "decoder", "likelihood")}
        return cls(**{**config, **parts})


def check_decoder(decoder, numbers, row_shape):
    """Raises where a decoder takes no flat codes, or gives no inputs.

    Args:
        decoder: Keras model.
        numbers: Integer, numbers of a flat code.
        row_shape: Shape of an input.
    """
    outputs = output_shape.of(decoder, (None, numbers))
    functional = keras_internals.graph(decoder)
    inputs = [(None, numbers)] if functional is None else [
        tuple(symbol.shape) for symbol in functional.inputs]
    if inputs != [(None, numbers)]:
        raise ValueError(
            f"Expected a decoder of rows of {numbers} numbers, a flat code. "
            f"Received: a decoder with inputs of shapes {inputs}")
    if math.prod(outputs[1:]) != math.prod(row_shape):
        raise ValueError(
            f"Expected a decoder with {math.prod(row_shape)} outputs, the numbers of "
            f"an input. Received: outputs of shape {outputs}")


def over_rows(model, name, num_samples, seed, *rows):
    """The array that a method of rows, a number of draws and a key returns.

    Args:
        model: Model with codes, which checks the rows.
        name: Name of a method from tensors of rows, a count and a key to a tensor of
            rows. It may be there only when the model is built.
        num_samples: Integer, draws; `None` takes that of the model.
        seed: Integer, or a pair; `None` takes the model's.
        *rows: Inputs, and what else has as many rows.
    """
    count = model.num_samples if num_samples is None else num_samples
    check_count("num_samples", count)
    count, key = tf.constant(count), model._predict_key(seed)
    [found] = model._by_rows(lambda *part: [
        getattr(model, name)(*part, count, key)], *rows)
    return found


def by_rows(function, *rows):
    """Arrays that a function of rows returns, some rows at a time.

    Args:
        function: From tensors of rows to a list of tensors.
        *rows: Tensors of inputs, and of what else has as many rows.
    """
    parts = [function(*batches.take(rows, slice(start, start + _CHUNK)))
             for start in range(0, batches.num_rows(rows), _CHUNK)]
    return [np.concatenate(found) for found in zip(*parts)]
