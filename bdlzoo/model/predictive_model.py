"""Base class of models that predict labels: a network and a likelihood.

    p(y | x) = mean over s of p(y | network_s(x)),      s = 1, ..., num_samples

There is one road from inputs to a prediction: `draw`, then `prediction`, which reads
the draws by the likelihood and corrects them by the calibration.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo import likelihoods as _likelihoods  # noqa: F401  Known by name.
from bdlzoo.core import batches, keras_internals, noise, registry
from bdlzoo.core.checks import check_count
from bdlzoo.model import calibrating, model_metrics, signatures
from bdlzoo.model.model_metrics import ModelMetrics
from bdlzoo.model.stochastic_model import StochasticModel
from bdlzoo.posthoc import Calibration
from bdlzoo.surgery import conversion, input_shape, memory, output_shape
from bdlzoo.surgery.folded_head import FoldedHead
from bdlzoo.surgery.interleaved_network import InterleavedNetwork
from bdlzoo.surgery.stacked_network import StackedNetwork
from bdlzoo.surgery.trunk import Trunk

_serialize = keras.saving.serialize_keras_object
_deserialize = keras.saving.deserialize_keras_object


class PredictiveModel(StochasticModel):
    """Answers with the mean over posterior draws, and with what they disagree on.

    A method overrides the lowest rung that expresses it:

    1. `draw`, when only the forward pass differs;
    2. `objective`, when the loss differs;
    3. `update`, when the optimiser step differs;
    4. `train_step`, when a batch needs several.

    Args:
        network: Any Keras model; its outputs are what the likelihood reads
            (logits, or means), not probabilities.
        likelihood: Name, spec or `Likelihood`.
        num_samples: Integer, draws at prediction.
        num_train_samples: Integer, draws in a training step.
        kl_weight: Float, 1 for the Bayes posterior, below 1 for a colder one.
        **kwargs: `num_data` and `seed` of `StochasticModel`, and arguments of
            `keras.Model`.
    """

    log_names = ("loss", "nll", "kl")
    targets = "required"
    needs_num_data = True
    stores_draws = False  # Whether draws are kept from training, for all seeds.

    def __init__(self, network, likelihood="categorical", num_samples=32,
                 num_train_samples=1, kl_weight=1.0, **kwargs):
        super().__init__(**kwargs)
        check_count("num_samples", num_samples)
        check_count("num_train_samples", num_train_samples)
        conversion.check_network(network)
        self.network = network
        self.likelihood = registry.build(likelihood)
        self.calibration = Calibration()
        self.num_samples = num_samples
        self.num_train_samples = num_train_samples
        self.kl_weight = kl_weight
        self._metrics_of = ModelMetrics()

    # What a method may override.

    @property
    def blueprint(self):
        """The network of one draw: what shapes and layers are checked by."""
        stacked = isinstance(self.network, StackedNetwork)
        return self.network.plain if stacked else self.network

    @property
    def row_group(self):
        return self.network.copies if isinstance(
            self.network, InterleavedNetwork) else 1

    @property
    def loss_factor(self):
        """A mean over models is shown; each moves by its own gradient."""
        return float(self.row_group)

    def draw(self, inputs, num_samples, key):
        """Draws coherently, one net for all rows; pure, runs in a graph."""
        hidden, keys = self._parts.begin(inputs), noise.split(key, num_samples)

        def one(draw_key):
            with noise.draws(draw_key, coherent=True):
                return _float32(self._parts.finish(hidden))

        def in_turn():
            return tf.map_fn(one, keys, fn_output_signature=tf.float32)

        if self._head is None:
            return in_turn()  # [S, B, ...]
        return tf.cond(tf.convert_to_tensor(num_samples <= self._head.most),
                       lambda: _float32(self._head.draws(hidden, keys)), in_turn)

    def train_draws(self, inputs, key):
        """Draws with noise per row, hence all in one tall batch."""
        count = self.num_train_samples
        if count == 1:
            with noise.draws(key):
                return _float32(self.network(inputs, training=True))[None]
        hidden = self._parts.begin(inputs, training=True)
        tall = tf.nest.map_structure(
            lambda t: tf.concat([t] * count, axis=0), hidden)
        with noise.draws(key, count=count):
            outputs = _float32(self._parts.finish(tall, training=True))
        return tf.stack(tf.split(outputs, count))  # [S, B, ...]

    def objective(self, x, y, sample_weight, key):
        draws = self.train_draws(x, key)
        nll = self.data_loss(self.likelihood.log_prob(y, draws))  # [B]
        return (self.with_prior(nll, x, sample_weight, key),
                self.likelihood.prediction(draws))

    def with_prior(self, nll, x, sample_weight, key):
        """Logs of a step: mean of what rows `[B]` cost, divergence, regularisers."""
        nll = batches.weighed_mean(nll, sample_weight)
        logs, loss = {"nll": nll}, nll
        with noise.draws(key):  # Some priors have only a sampled KL.
            kl = self.kl()
        if kl is not None:
            kl /= float(self.row_group)  # Of one model, the mean.
            weight = self.kl_weight * self.kl_share(x) / self.num_data
            logs["kl"], loss = kl, loss + weight * kl
        # Regularisers that the network brings along.
        loss = tf.add_n([loss, *map(_float32, self.network.losses)])
        return {"loss": loss, **logs}

    def data_loss(self, log_probs):
        """What the draws of a step cost together, `[S, B]` to `[B]`: their mean."""
        return -tf.reduce_mean(log_probs, axis=0)

    def kl(self):
        """Nats from prior to posterior, once whatever the number of draws.

        `None` where there is neither. Here: the sum of what layers give.
        """
        terms = [layer.kl() for layer in keras_internals.layers(self.network)
                 if hasattr(layer, "kl")]
        return tf.add_n(terms) if terms else None

    def kl_share(self, x):
        """Weight of the KL in this step beside `kl_weight`: a schedule."""
        del x
        return 1.0

    def asked(self, num_samples):
        """The number of draws of a request, checked while serving."""
        return num_samples

    def test_logs(self, y, draws):
        """What a method adds to `evaluate`, a number for each row."""
        del y, draws
        return {}

    # What a user calls.

    def call(self, inputs):
        """Mean predictive: class probabilities, or the mean."""
        return self.answer(inputs).mean

    def sample_outputs(self, inputs, num_samples=None, seed=None):
        """Returns raw draws of the outputs.

        Args:
            inputs: Arrays or tensors, of any number of rows, or a `tf.data`
                dataset of batches (targets in it are passed over).
            num_samples: Integer, how many draws; `None` takes the model's.
            seed: Integer, or a pair; `None` takes the model's.

        Returns:
            Tensor `[S, B, ...]`; draw s is one network for all rows.
        """
        if isinstance(inputs, tf.data.Dataset):
            return tf.concat([self.sample_outputs(batch, num_samples, seed)
                              for batch in batches.inputs_of(inputs)], axis=1)
        count = self.num_samples if num_samples is None else num_samples
        check_count("num_samples", count)
        inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
        self.build_once(inputs)
        self.check_ready()
        self._check_inputs(inputs)
        seed = tf.constant(self.seed if seed is None else seed, tf.int32)
        rows = batches.num_rows(inputs)
        step = memory.rows_at_once(self._row_bytes, self._weight_bytes)
        step = max(step - step % self.row_group, self.row_group)
        # One network a draw, so that chunks of rows change nothing.
        chunks = [self._draw_from_seed(
            batches.take(inputs, slice(start, start + step)), tf.constant(count), seed)
            for start in range(0, rows, step)]
        return chunks[0] if len(chunks) == 1 else tf.concat(chunks, axis=1)

    def predict_uncertainty(self, inputs, num_samples=None, seed=None):
        """Returns the `Prediction` for inputs: its mean and its uncertainty.

        Args:
            inputs: Arrays or tensors, of any number of rows, or a `tf.data`
                dataset of batches (targets in it are passed over).
            num_samples: Integer, how many draws; `None` takes the model's.
            seed: Integer, or a pair; `None` takes the model's.
        """
        draws, uniforms = [], []
        # One pass: a dataset that shuffles would not give its rows so again.
        for batch in batches.inputs_of(inputs):
            draws.append(self.sample_outputs(batch, num_samples, seed))
            if self.calibration.is_conformal():
                uniforms.append(self._uniforms(batch, self._predict_key(seed)))
        return self.prediction(tf.concat(draws, axis=1),
                               tf.concat(uniforms, axis=0) if uniforms else None)

    def calibrate(self, x, y, method="temperature", level=0.9, num_samples=None,
                  seed=None, **kwargs):
        """Corrects the predictive, or makes it cover, by held-out data.

        Args:
            x: Inputs, as arrays, that the model was not trained on.
            y: Targets.
            method: String. `"temperature"`, `"vector"` and `"isotonic"` correct
                the predictive and replace one another, and what stood on it.
                `"lac"`, `"aps"` and `"raps"` give `prediction_set` for classes,
                `"interval"` gives `conformal_interval` for numbers, both on top
                of the predictive as it is corrected now; best on other rows.
            level: Float, coverage of sets and intervals.
            num_samples: Integer, how many draws; `None` takes the model's. A
                coverage is that of predictions with as many draws.
            seed: Integer, or a pair; `None` takes the model's.
            **kwargs: Options of `bdlzoo.posthoc.fit_conformal_sets`.

        Returns:
            What was fitted: the temperature (above 1 where the model was
            over-confident), scales and shifts, a table of curves, a threshold.
        """
        x, y = tf.nest.map_structure(np.asarray, (x, y))
        self.build_once(x)
        self.check_data(x, y)
        draws = self.sample_outputs(x, num_samples, seed)
        calibrating.check_method(self.likelihood, method, draws, kwargs)
        uniforms = self._uniforms(x, self._predict_key(seed))
        return calibrating.calibrate(self, draws, y, method, level, uniforms, kwargs)

    def measures(self, inputs, num_samples=None, key=None):
        """What a served model answers: tensors by name, batch first.

        Args:
            inputs: Inputs of the network.
            num_samples: Integer or scalar; `None` takes the model's.
            key: Key of the draws; `None` takes the model's.
        """
        with tf.init_scope():  # What is fitted now; later there is a new export.
            covering = self.calibration.is_conformal()
        return self.answer(inputs, num_samples, key).measures(covering)

    def endpoints(self, **options):
        return signatures.of_predictions(self, **options)

    def facts(self):
        return {"temperature": float(self.calibration.temperature)}

    # The machinery.

    def build(self, input_shape):
        shape = self._output_shape(input_shape)
        if getattr(self.likelihood, "from_logits", False):
            conversion.refuse_probabilities(self.blueprint)
        conversion.adopt(self.blueprint)
        if not self.network.built:  # Where it is not its own blueprint.
            self.network.build(input_shape)
        if not self.likelihood.built:
            self.likelihood.build(shape)
        if not self.calibration.built:
            with tf.init_scope():
                rows = (1, self.row_group, *shape[1:])
                blank = tf.zeros([d or 1 for d in rows])
                self.calibration.build(self.likelihood.prediction(blank))
        self._parts = Trunk(self.network)
        self._head = FoldedHead.of(self._parts)
        self._row_bytes, weight_bytes = memory.needs(self.blueprint)
        self._weight_bytes = self.row_group * weight_bytes
        # The loop over draws stays a graph where a user calls it eagerly, and
        # counts and seeds are tensors, so that no new value retraces it.
        self._draw_from_seed = tf.function(
            lambda inputs, num_samples, seed: self.draw(
                inputs, num_samples, noise.key(seed, noise.PREDICT)),
            reduce_retracing=True)

    def compile(self, optimizer="adam", metrics=None, **kwargs):
        """As in Keras; the likelihood brings the loss, and metrics if `None`.

        Args:
            optimizer: As in Keras.
            metrics: List of names, specs or metrics, of the zoo or of Keras.
                `None` takes those of the likelihood: all of them in
                `evaluate`, the first one in training.
            **kwargs: See `StochasticModel.compile`.
        """
        for name in ("loss", "loss_weights", "weighted_metrics"):
            if kwargs.get(name) is not None:
                raise ValueError(f"Expected no `{name}`: the likelihood is the "
                                 f"loss. Received: {name}={kwargs[name]}")
        self._metrics_of.set(metrics, self.likelihood)
        super().compile(optimizer=optimizer, **kwargs)

    def check_data(self, x, y):
        super().check_data(x, y)
        input_shape.check(self.blueprint, x)
        self.likelihood.check_targets(y, self._output_shape(batches.row_shapes(x)))

    def answer(self, inputs, num_samples=None, key=None):
        """Calibrated prediction, inside a graph.

        Args:
            inputs: Inputs of the network.
            num_samples: Integer or scalar; `None` takes the model's.
            key: Key of the draws; `None` takes the model's.
        """
        count = self.num_samples if num_samples is None else num_samples
        key = self._predict_key() if key is None else key
        # In a graph the sets are always there, with all classes until fitted.
        return self.prediction(self.draw(inputs, count, key),
                               self._uniforms(inputs, key))

    def prediction(self, draws, uniforms=None):
        """What draws say, corrected by the calibration.

        Args:
            draws: Outputs `[S, B, ...]`.
            uniforms: A number for each row, `[B]`, which randomises sets; `None`
                gives neither sets nor intervals.
        """
        return self.calibration.correct(self.likelihood.prediction(draws), uniforms)

    def _predict_key(self, seed=None):
        return noise.key(self.seed if seed is None else seed, noise.PREDICT)

    def _uniforms(self, inputs, key):
        """Numbers that randomise sets: of a row, not of its place in a batch."""
        return noise.row_uniform(inputs, noise.fold_in(key, noise.SETS))

    def update_metrics(self, y, prediction, sample_weight):
        return model_metrics.update(self._metrics_of.train, y, prediction,
                                    sample_weight)

    def test_step(self, data):
        x, y, sample_weight = batches.unpack(data)
        self.check_targets(y)
        self.build_once(x)
        key = self._predict_key()
        draws = self.draw(x, self.num_samples, key)
        prediction = self.prediction(draws, self._uniforms(x, key))
        nll = -prediction.log_prob(y)  # [B]
        logs = {"loss": nll, "nll": nll, **self.test_logs(y, draws)}
        results = self.track(logs, sample_weight)
        results.update(model_metrics.update(self._metrics_of.test, y, prediction,
                                            sample_weight))
        return self.reduced(results)

    def get_config(self):
        return {**super().get_config(),
                "network": _serialize(self.network),
                "likelihood": _serialize(self.likelihood),
                "num_samples": self.num_samples,
                "num_train_samples": self.num_train_samples,
                "kl_weight": self.kl_weight}

    @classmethod
    def from_config(cls, config):
        parts = {k: _deserialize(config[k]) for k in ("network", "likelihood")}
        return cls(**{**config, **parts})

    def get_compile_config(self):
        config = super().get_compile_config()
        if config and self._metrics_of.config() is not None:
            config["metrics"] = self._metrics_of.config()
        return config

    @property
    def metrics(self):
        return [*super().metrics, *self._metrics_of.test]

    def _output_shape(self, input_shape):
        return output_shape.of(self.blueprint, input_shape)

    def _check_inputs(self, inputs):
        input_shape.check(self.blueprint, inputs)
        batches.check_rows(inputs)
        batches.check_finite(inputs)


def _float32(tensor):
    return tf.cast(tensor, tf.float32)
