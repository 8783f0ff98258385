"""A network and a likelihood, averaged over posterior draws."""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo import likelihoods as _likelihoods  # noqa: F401  Known by name.
from bdlzoo import metrics as _metrics  # noqa: F401
from bdlzoo.core import noise, registry
from bdlzoo.core.prediction import ClassPrediction
from bdlzoo.model import (
    conversion,
    keras_internals,
    memory,
    output_shape,
    signatures,
)
from bdlzoo.model.folded_head import FoldedHead
from bdlzoo.model.interleaved_network import InterleavedNetwork
from bdlzoo.model.stacked_network import StackedNetwork
from bdlzoo.model.stochastic_model import StochasticModel, check_finite
from bdlzoo.model.trunk import Trunk
from bdlzoo.posthoc import (
    Calibration,
    fit_conformal_interval,
    fit_conformal_sets,
    fit_isotonic,
    fit_temperature,
    fit_vector_scaling,
)

_REPAIRS = {"temperature": fit_temperature, "vector": fit_vector_scaling,
            "isotonic": fit_isotonic}
_SETS = ("lac", "aps", "raps")
_KERAS_ALIASES = ("mae", "mse", "mape", "msle")
_serialize = keras.saving.serialize_keras_object
_deserialize = keras.saving.deserialize_keras_object


class PredictiveModel(StochasticModel):
    """Answers with the mean over posterior draws, and with what they disagree on.

    A method overrides the lowest rung that expresses it:

    1. `draw`, when only the forward pass differs;
    2. `objective`, when the loss differs;
    3. `update`, when the optimiser step differs;
    4. `train_step`, when a batch needs more than one step.

    Args:
        network: Any Keras model; its outputs are what the likelihood reads
            (logits, or means), not probabilities.
        likelihood: Name, spec or `Likelihood`.
        num_samples: Integer, draws at prediction.
        num_train_samples: Integer, draws in a training step.
        kl_weight: Float, 1 for the Bayes posterior, below 1 for a colder one.
        **kwargs: See `StochasticModel`.
    """

    log_names = ("loss", "nll", "kl")
    stores_draws = False  # Whether draws are kept from training, for all seeds.

    def __init__(self, network, likelihood="categorical", num_samples=32,
                 num_train_samples=1, kl_weight=1.0, **kwargs):
        super().__init__(**kwargs)
        for name, value in (("num_samples", num_samples),
                            ("num_train_samples", num_train_samples)):
            _check_count(name, value)
        if not isinstance(network, keras.Model):
            raise ValueError("Expected a Keras 3 model as network. Received: "
                             f"network of type {type(network).__module__}."
                             f"{type(network).__name__}")
        conversion.refuse_keras_2(network)
        self.network = network
        self.likelihood = registry.build(likelihood)
        self.calibration = Calibration()
        self.num_samples = num_samples
        self.num_train_samples = num_train_samples
        self.kl_weight = kl_weight
        self._measures = _Measures()

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
        nll = weighed_mean(nll, sample_weight)
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
        return self.predictive(inputs).mean

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
                              for batch in _inputs_of(inputs)], axis=1)
        count = self.num_samples if num_samples is None else num_samples
        _check_count("num_samples", count)
        inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
        self.build_once(inputs)
        self.check_ready()
        self._check_inputs(inputs)
        seed = tf.constant(self.seed if seed is None else seed, tf.int32)
        rows = len(tf.nest.flatten(inputs)[0])
        step = memory.rows_at_once(self._row_bytes, self._weight_bytes)
        step = max(step - step % self.row_group, self.row_group)
        if rows <= step:
            return self._draw_from_seed(inputs, tf.constant(count), seed)
        # One network a draw, so that chunks of rows change nothing.
        chunks = [self._draw_from_seed(
            tf.nest.map_structure(lambda t: t[start:start + step], inputs),
            tf.constant(count), seed) for start in range(0, rows, step)]
        return tf.concat(chunks, axis=1)

    def predict_uncertainty(self, inputs, num_samples=None, seed=None):
        """Returns the `Prediction` for inputs: its mean and its uncertainty.

        Args:
            inputs: See `sample_outputs`.
            num_samples: See `sample_outputs`.
            seed: See `sample_outputs`.
        """
        draws, uniforms = [], []
        # One pass: a dataset that shuffles would not give its rows so again.
        for batch in _inputs_of(inputs):
            draws.append(self.sample_outputs(batch, num_samples, seed))
            if self.calibration.is_conformal():
                uniforms.append(self._uniforms(batch, self._predict_key(seed)))
        return self.calibration.correct(
            self.likelihood.prediction(tf.concat(draws, axis=1)),
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
            num_samples: See `sample_outputs`; a coverage is that of predictions
                with as many draws.
            seed: See `sample_outputs`.
            **kwargs: Options of `bdlzoo.posthoc.fit_conformal_sets`.

        Returns:
            What was fitted: the temperature (above 1 where the model was
            over-confident), scales and shifts, a table of curves, a threshold.
        """
        x, y = tf.nest.map_structure(np.asarray, (x, y))
        self.build_once(x)
        self.check_data(x, y)
        draws = self.sample_outputs(x, num_samples, seed)
        self._check_method(method, draws, kwargs)
        if method in _REPAIRS:
            # In float64: the slope of the likelihood is small where it ends.
            prediction = self.likelihood.prediction(tf.cast(draws, tf.float64))
            fitted = _REPAIRS[method](prediction, y)
            self.calibration.repair(method, fitted)
            return fitted
        prediction = self.calibration.correct(self.likelihood.prediction(draws))
        if method == "interval":
            threshold = fit_conformal_interval(prediction, y, level)
            self.calibration.cover(level, threshold)
            return threshold
        uniforms = self._uniforms(x, self._predict_key(seed))
        rule = fit_conformal_sets(prediction, y, uniforms, method, level, **kwargs)
        self.calibration.cover(level, *rule)
        return rule.threshold

    def _check_method(self, method, draws, options):
        """Raises where a method of calibration does not fit the predictions."""
        classes = isinstance(self.likelihood.prediction(draws), ClassPrediction)
        known = (*_REPAIRS, *_SETS) if classes else ("temperature", "interval")
        if method not in known:
            raise ValueError(
                f"Expected one of {known}, which are for models of "
                f"{'classes' if classes else 'numbers'}. Received: method={method!r}")
        if options and method not in _SETS:
            raise ValueError("Expected options with prediction sets only. "
                             f"Received: {options} with method={method!r}")
        if np.isnan(draws).any():
            raise ValueError(
                "Expected a model whose predictions are numbers: train it again "
                f"with a lower learning rate. Received: {np.isnan(draws).sum()} NaN")

    def measures(self, inputs, num_samples=None, key=None):
        """What a served model answers: tensors by name, batch first.

        Args:
            inputs: Inputs of the network.
            num_samples: Integer or scalar; `None` takes the model's.
            key: Key of the draws; `None` takes the model's.
        """
        with tf.init_scope():  # What is fitted now; later there is a new export.
            covering = self.calibration.is_conformal()
        count = self.num_samples if num_samples is None else num_samples
        key = self._predict_key() if key is None else key
        return self.answer(inputs, count, key).measures(covering)

    def endpoints(self, **options):
        return signatures.endpoints(self, **options)

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
        specs = self.likelihood.default_metrics if metrics is None else metrics
        if isinstance(specs, (str, dict)):
            raise ValueError("Expected a list of metrics. Received: "
                             f"metrics={metrics}")
        measures = [_metric(spec, self.likelihood) for spec in specs]
        self._measures.test = measures
        self._measures.train = measures[:1] if metrics is None else measures
        super().compile(optimizer=optimizer, **kwargs)

    def check_data(self, x, y):
        super().check_data(x, y)
        shape = tf.nest.map_structure(lambda t: (None, *t.shape[1:]), x)
        self._check_shape(x)
        self.likelihood.check_targets(y, self._output_shape(shape))

    def predictive(self, inputs):
        """Prediction with the model's own seed and count, inside a graph."""
        return self.answer(inputs, self.num_samples, self._predict_key())

    def answer(self, inputs, num_samples, key):
        """Calibrated prediction from draws, inside a graph."""
        return self._corrected(self.draw(inputs, num_samples, key), inputs, key)

    def _corrected(self, draws, inputs, key):
        # In a graph the sets are always there, with all classes until fitted.
        return self.calibration.correct(self.likelihood.prediction(draws),
                                        self._uniforms(inputs, key))

    def _predict_key(self, seed=None):
        return noise.key(self.seed if seed is None else seed, noise.PREDICT)

    def _uniforms(self, inputs, key):
        """Numbers that randomise sets: of a row, not of its place in a batch."""
        return noise.row_uniform(inputs, noise.fold_in(key, noise.SETS))

    def measure(self, y, prediction, sample_weight):
        return _update(self._measures.train, y, prediction, sample_weight)

    def test_step(self, data):
        x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data)
        self.build_once(x)
        key = self._predict_key()
        draws = self.draw(x, self.num_samples, key)
        prediction = self._corrected(draws, x, key)
        nll = -prediction.log_prob(y)  # [B]
        logs = {"loss": nll, "nll": nll, **self.test_logs(y, draws)}
        results = self.track(logs, sample_weight)
        results.update(_update(self._measures.test, y, prediction, sample_weight))
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
        if config and self._measures.train is self._measures.test:
            config["metrics"] = [_serialize(m) for m in self._measures.test]
        return config

    @property
    def metrics(self):
        return [*super().metrics, *self._measures.test]

    def _output_shape(self, input_shape):
        return output_shape.of(self.blueprint, input_shape)

    def _check_shape(self, x):
        functional = keras_internals.graph(self.blueprint)
        expected = [tuple(t.shape[1:]) for t in functional.inputs] if (
            functional) else [tuple(t.shape[1:]) for t in tf.nest.flatten(x)]
        received = [tuple(t.shape[1:]) for t in tf.nest.flatten(x)]
        fits = len(expected) == len(received) and all(
            len(e) == len(r) and all(a in (None, b) for a, b in zip(e, r))
            for e, r in zip(expected, received))
        if not fits:
            raise ValueError("Expected rows in the shape that the network was "
                             f"made for, {expected}. Received: {received}")

    def _check_inputs(self, inputs):
        self._check_shape(inputs)
        if len(tf.nest.flatten(inputs)[0]) == 0:
            raise ValueError("Expected at least one row. Received: none")
        check_finite(inputs)


class _Measures:
    """Metrics of a model, out of sight of Keras.

    A built model takes no new state, and may still be compiled again.
    """

    def __init__(self):
        self.train, self.test = [], []


def weighed_mean(rows, sample_weight):
    """Mean over rows `[B]`, each times its weight where there are any."""
    if sample_weight is not None:
        rows = rows * tf.reshape(tf.cast(sample_weight, rows.dtype), [-1])
    return tf.reduce_mean(rows)


def _check_count(name, value):
    if not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError("Expected a whole number of at least 1. Received: "
                         f"{name}={value!r}")


def _inputs_of(data):
    """Inputs of each batch of a dataset; of arrays, themselves."""
    if not isinstance(data, tf.data.Dataset):
        return [data]
    return (keras.utils.unpack_x_y_sample_weight(batch)[0] for batch in data)


def _float32(tensor):
    return tf.cast(tensor, tf.float32)


def _metric(spec, likelihood):
    """A metric from its name, spec or itself."""
    if spec in ("accuracy", "acc"):  # Which one depends on the targets.
        spec = likelihood.default_metrics[0]
    try:
        return registry.build(spec, keras.metrics)
    except ValueError:
        if spec not in _KERAS_ALIASES:
            raise
        return keras.metrics.get(spec)


def _update(measures, y, prediction, sample_weight):
    """Feeds metrics: the mean, or all draws to those that read them."""
    for measure in measures:
        seen = prediction if getattr(
            measure, "reads_prediction", False) else prediction.mean
        measure.update_state(y, seen, sample_weight=sample_weight)
    return {measure.name: measure.result() for measure in measures}
