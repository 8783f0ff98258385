"""Base class of models that predict labels: a network and a likelihood.

    p(y | x) = mean over s of p(y | network_s(x)),      s = 1, ..., num_samples

All predictions are made in the same way: `draw` gives outputs of the network, and
`prediction` reads them by the likelihood and corrects them by the calibration.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo import likelihoods as _likelihoods  # noqa: F401  Known by name.
from bdlzoo.core import batches, keras_internals, noise, registry
from bdlzoo.core.checks import check_count
from bdlzoo.core.draw_places import places
from bdlzoo.model import calibrating, model_metrics, signatures, streaming
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
    """Predicts the mean over posterior draws, and how much the draws disagree.

    A method overrides the first of these that is enough: `draw` if only the forward
    pass differs, `objective` if the loss differs, `update` if the optimiser step
    differs, and `train_step` if a batch needs several steps.

    Args:
        network: Any Keras model. Its outputs are the inputs of the likelihood, such as
            logits or means, not probabilities.
        likelihood: Name, spec or `Likelihood`.
        num_samples: Integer, number of draws at prediction.
        num_train_samples: Integer, number of draws in a training step.
        kl_weight: Float, 1 for the Bayes posterior, below 1 for a colder one.
        **kwargs: `num_data` and `seed` of `StochasticModel`, and arguments of
            `keras.Model`.
    """

    log_names = ("loss", "nll", "kl")
    targets = "required"
    needs_num_data = True
    stores_draws = False  # Whether training stores the draws, for all seeds.
    draws_differ = True  # Whether draws that are all equal are worth a warning.
    draw_group = 1  # Draws that are computed together, where they come in parts.

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
        """The network of one draw, for checks of shapes and layers."""
        stacked = isinstance(self.network, StackedNetwork)
        return self.network.plain if stacked else self.network

    @property
    def row_group(self):
        return self.network.copies if isinstance(
            self.network, InterleavedNetwork) else 1

    @property
    def loss_factor(self):
        """Factor of the loss for the gradient: models side by side report a mean."""
        return float(self.row_group)

    def draw(self, inputs, num_samples, key):
        """Outputs `[S, B, ...]` of coherent draws: a draw is one network for all rows.

        It runs in a graph, and has no side effects.
        """
        return self.draw_parts(inputs, num_samples, key)(0, num_samples)

    def draw_parts(self, inputs, num_samples, key):
        """Draws for a user who cannot hold them all: a function of `first, count`.

        What all draws share is computed once, here. The function returns the draws
        from place `first` on, `[count, B, ...]`, which do not depend on the size of
        parts; after the last draw any numbers follow. A method that overrides `draw`
        alone is right too, but its draws are all in memory at once.
        """
        hidden, keys = self._parts.begin(inputs), noise.split(key, num_samples)
        at_once = memory.draws_in_flight(hidden, self._row_bytes, self._weight_bytes)

        def one(draw_key):
            with noise.draws(draw_key, coherent=True):
                return _float32(self._parts.finish(hidden))

        def part(first, count):
            mine = tf.gather(keys, places(first, count, num_samples))

            def in_turn():
                return tf.map_fn(one, mine, parallel_iterations=at_once,
                                 fn_output_signature=tf.float32)

            if self._head is None:
                return in_turn()  # [count, B, ...]
            return tf.cond(tf.convert_to_tensor(count <= self._head.most),
                           lambda: _float32(self._head.draws(hidden, mine)), in_turn)

        return part

    def train_draws(self, inputs, key):
        """Draws of a training step; each row has its own noise, in one large batch."""
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
        """Logs of a step: the mean of `nll` `[B]`, the KL, regularisers and loss."""
        nll = batches.weighed_mean(nll, sample_weight)
        logs, loss = {"nll": nll}, nll
        with noise.draws(key):  # Some priors have only a sampled KL.
            kl = self.kl()
        if kl is not None:
            kl /= float(self.row_group)  # The mean over models side by side.
            weight = self.kl_weight * self.kl_share(x) / self.num_data
            logs["kl"], loss = kl, loss + weight * kl
        # Regularisers of the layers of the network.
        loss = tf.add_n([loss, *map(_float32, self.network.losses)])
        return {"loss": loss, **logs}

    def data_loss(self, log_probs):
        """Negative log likelihood `[B]` of a step: the mean over draws `[S, B]`."""
        return -tf.reduce_mean(log_probs, axis=0)

    def kl(self):
        """KL divergence of the posterior from the prior, in nats.

        By default the sum over layers, or `None` if no layer has one.
        """
        terms = [layer.kl() for layer in keras_internals.layers(self.network)
                 if hasattr(layer, "kl")]
        return tf.add_n(terms) if terms else None

    def kl_share(self, x):
        """Factor of the KL in this step, besides `kl_weight`, such as a schedule."""
        del x
        return 1.0

    def check_draws(self, num_samples):
        """Raises where a model does not have as many draws."""

    def asked(self, num_samples):
        """The number of draws of a request, which is checked while serving."""
        return num_samples

    def test_logs(self, y, draws):
        """Further results of `evaluate`: a number for each row, by name.

        A mean over draws, because draws may come one by one.
        """
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
                dataset of batches (its targets are ignored).
            num_samples: Integer, number of draws; `None` takes that of the model.
            seed: Integer or pair of integers; `None` takes that of the model.

        Returns:
            Tensor `[S, B, ...]`; draw s is one network for all rows.
        """
        return streaming.draws(self, inputs, num_samples, seed)

    def predict_uncertainty(self, inputs, num_samples=None, seed=None):
        """Returns the `Prediction` for inputs: its mean and its uncertainty.

        Args:
            inputs: Arrays or tensors, of any number of rows, or a `tf.data`
                dataset of batches (its targets are ignored).
            num_samples: Integer, number of draws; `None` takes that of the model.
            seed: Integer or pair of integers; `None` takes that of the model.

        Draws that would take too much memory are summed as they come. The prediction
        then has all measures, but not the draws.
        """
        return streaming.predict(self, inputs, num_samples, seed)

    def calibrate(self, x, y, method="temperature", level=0.9, num_samples=None,
                  seed=None, **kwargs):
        """Fits a calibration of the predictive distribution to held-out data.

        Args:
            x: Arrays of inputs that the model was not trained on.
            y: Targets of these inputs.
            method: String. `"temperature"`, `"vector"` and `"isotonic"` correct the
                predictive distribution; a new correction replaces the old one, and
                removes sets and intervals. `"lac"`, `"aps"` and `"raps"` give
                `prediction_set` for classes, `"interval"` gives `conformal_interval`
                for numbers. Fit them to other rows than the correction.
            level: Float, coverage of sets and intervals.
            num_samples: Integer, number of draws; `None` takes that of the model. The
                coverage holds for predictions with the same number of draws.
            seed: Integer or pair of integers; `None` takes that of the model.
            **kwargs: Arguments of `bdlzoo.posthoc.fit_conformal_sets`.

        Returns:
            The fitted values: the temperature (above 1 if the model was overconfident),
            scales and shifts, a table of curves, or a threshold.
        """
        x, y = tf.nest.map_structure(np.asarray, (x, y))
        self.build_once(x)
        self.check_data(x, y)
        draws = streaming.draws_or_summary(self, x, num_samples, seed)
        calibrating.check_method(self.likelihood, method, draws, kwargs)
        uniforms = self._uniforms(x, self._predict_key(seed))
        return calibrating.calibrate(self, draws, y, method, level, uniforms, kwargs)

    def measures(self, inputs, num_samples=None, key=None):
        """Answer of a served model: tensors `[B, ...]` by name.

        Args:
            inputs: Inputs of the network.
            num_samples: Integer or scalar; `None` takes that of the model.
            key: Key of the draws; `None` takes that of the model.
        """
        with tf.init_scope():  # The calibration at the time of the export.
            covering = self.calibration.is_conformal()
        return self.answer(inputs, num_samples, key).measures(covering)

    def endpoints(self, **options):
        return signatures.of_predictions(self, **options)

    def facts(self):
        return {"temperature": float(self.calibration.temperature)}

    # The machinery.

    def build(self, input_shape):
        shape = self._output_dims = tuple(self._output_shape(input_shape))
        if getattr(self.likelihood, "from_logits", False):
            conversion.refuse_probabilities(self.blueprint)
        conversion.adopt(self.blueprint)
        if not self.network.built:  # If it is not the blueprint.
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
        self._draw_from_seed, self._sum_from_seed = streaming.functions(self)
        self._compared_draws = False

    def compile(self, optimizer="adam", metrics=None, **kwargs):
        """Configures training, as in Keras; the likelihood is the loss.

        Args:
            optimizer: Name of an optimiser of Keras, or an optimiser.
            metrics: List of names, specs or metrics, of the zoo or of Keras. `None`
                takes those of the likelihood: all of them in `evaluate`, and the first
                one in training.
            **kwargs: Other arguments of `StochasticModel.compile`.
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
        """Calibrated prediction, inside of a graph.

        Args:
            inputs: Inputs of the network.
            num_samples: Integer or scalar; `None` takes that of the model.
            key: Key of the draws; `None` takes that of the model.
        """
        count = self.num_samples if num_samples is None else num_samples
        key = self._predict_key() if key is None else key
        return streaming.answer(self, inputs, count, key)[0]

    def prediction(self, draws, uniforms=None):
        """Prediction from draws, corrected by the calibration.

        Args:
            draws: Outputs `[S, B, ...]`.
            uniforms: Numbers `[B]` that randomise sets; `None` gives no sets.
        """
        return self.calibration.correct(self.likelihood.prediction(draws), uniforms)

    def _predict_key(self, seed=None):
        return noise.key(self.seed if seed is None else seed, noise.PREDICT)

    def _uniforms(self, inputs, key):
        """Numbers that randomise sets; they depend on a row, not on its place."""
        return noise.row_uniform(inputs, noise.fold_in(key, noise.SETS))

    def update_metrics(self, y, prediction, sample_weight):
        return model_metrics.update(self._metrics_of.train, y, prediction,
                                    sample_weight)

    def test_step(self, data):
        x, y, sample_weight = batches.unpack(data)
        self.check_targets(y)
        self.build_once(x)
        key = self._predict_key()
        prediction, further = streaming.answer(
            self, x, self.num_samples, key, lambda draws: self.test_logs(y, draws))
        nll = -prediction.log_prob(y)  # [B]
        logs = {"loss": nll, "nll": nll, **further}
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
