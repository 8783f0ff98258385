"""Base class of models that predict labels: a network and a likelihood.

    p(y | x) = mean over s of p(y | network_s(x)),      s = 1, ..., num_samples

All predictions are made in the same way: `draw` gives outputs of the network, and
`prediction` reads them by the likelihood and corrects them by the calibration.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo import likelihoods as _likelihoods  # noqa: F401  Known by name.
from bdlzoo.core import batches, keras_internals, noise, registry, written_out
from bdlzoo.core.checks import check_count, is_as_new
from bdlzoo.core.draw_places import places
from bdlzoo.model import calibrating, signatures, streaming
from bdlzoo.model.model_metrics import ModelMetrics
from bdlzoo.model.objective import LabelObjective
from bdlzoo.model.stochastic_model import StochasticModel
from bdlzoo.posthoc import Calibration
from bdlzoo.surgery import (
    conversion,
    input_shape,
    memory,
    output_mask,
    output_shape,
)
from bdlzoo.surgery.folded_head import FoldedHead
from bdlzoo.surgery.interleaved_network import InterleavedNetwork
from bdlzoo.surgery.stacked_network import StackedNetwork
from bdlzoo.surgery.trunk import Trunk

_serialize = keras.saving.serialize_keras_object
_deserialize = keras.saving.deserialize_keras_object


class PredictiveModel(LabelObjective, StochasticModel):
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
                return written_out.map_draws(
                    one, mine, parallel_iterations=at_once,
                    fn_output_signature=tf.float32)

            if self._head is None:
                return in_turn()  # [count, B, ...]
            if isinstance(count, int):
                return _float32(self._head.draws(hidden, mine)) if (
                    count <= self._head.most) else in_turn()
            return tf.cond(tf.convert_to_tensor(count <= self._head.most),
                           lambda: _float32(self._head.draws(hidden, mine)), in_turn)

        return part

    def refined(self, prediction, *inputs):
        """The prediction with what is known of it without draws.

        Args:
            prediction: Prediction from draws, before calibration.
            *inputs: Inputs of its rows, in one part or in several.
        """
        del inputs  # By default nothing is.
        return prediction

    def train_draws(self, inputs, key):
        """Draws of a training step; each row has its own noise, in one large batch."""
        count = self.num_train_samples
        if count == 1:
            with noise.draws(key):
                return _float32(self.network(inputs, training=True))[None]
        hidden = self._parts.begin(inputs, training=True)
        tall = tf.nest.map_structure(
            lambda t: keras_internals.repeated(t, count), hidden)
        with noise.draws(key, count=count):
            outputs = _float32(self._parts.finish(tall, training=True))
        return tf.stack(tf.split(outputs, count))  # [S, B, ...]

    def check_draws(self, num_samples):
        """Raises where a model does not have as many draws."""

    def asked(self, num_samples):
        """The number of draws of a request, which is checked while serving."""
        return num_samples

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
        x, y = self.as_inputs(x), np.asarray(y)
        self.build_once(x)
        self.check_data(x, y)
        draws = streaming.draws_or_summary(self, x, num_samples, seed)
        calibrating.check_method(self.likelihood, method, draws, kwargs)
        uniforms = self._uniforms(x, self._predict_key(seed))
        return calibrating.calibrate(
            self, draws, y, method, level, uniforms, kwargs, self.mask_of_rows(x),
            lambda prediction: self.refined(prediction, x))

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

    def fixed_answer(self, num_samples=None, seed=None):
        count = self.num_samples if num_samples is None else num_samples
        check_count("num_samples", count)
        self.check_draws(count)
        self.calibration.check_without_noise()
        return lambda inputs: self.measures(
            inputs, int(count), self._predict_key(seed))

    def facts(self):
        return {"temperature": float(self.calibration.temperature)}

    # The machinery.

    def build(self, input_shape):
        shape = self._output_dims = tuple(self.output_shape_of(input_shape))
        if getattr(self.likelihood, "from_logits", False):
            conversion.refuse_probabilities(self.blueprint)
        conversion.adopt(self.blueprint)
        if not self.network.built:  # If it is not the blueprint.
            self.network.build(input_shape)
        if not self.likelihood.built:
            with tf.init_scope():  # `predict` may build inside of a graph.
                self.likelihood.build(shape)
        if not self.calibration.built:
            with tf.init_scope():
                rows = (1, self.row_group, *shape[1:])
                blank = tf.zeros([d or 1 for d in rows])
                self.calibration.build(self.likelihood.prediction(blank))
        self._has_mask = output_mask.exists(self.blueprint, input_shape)
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
        self.likelihood.check_targets(y, self.output_shape_of(batches.row_shapes(x)))

    def quick_check(self, x, y):
        sure = super().quick_check(x, y)
        if y is None:
            return sure
        if not is_as_new(self.likelihood, "quick_check", "check_targets"):
            return tf.constant(False)
        return sure & self.likelihood.quick_check(y, self._output_dims)

    def remember_targets(self, y):
        if np.ndim(y) != self._target_rank:  # A trace holds for one rank.
            self._target_rank = np.ndim(y)
            self.train_function = self.test_function = None

    def unbounded_weights(self):
        return self.calibration.weights  # A threshold that is not fitted is infinite.

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
        if written_out.is_on():  # `fixed_answer` refuses sets that need them.
            return tf.fill(tf.shape(batches.flat(inputs)[0])[:1], 0.5)
        return noise.row_uniform(inputs, noise.fold_in(key, noise.SETS))

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

    def output_shape_of(self, input_shape):
        """Shape of the outputs, batch first; an open size is `None`."""
        if not self.built:
            return output_shape.of(self.blueprint, input_shape)
        # A subclassed network tells it by a call. Keras would track the dictionary.
        known, key = vars(self).setdefault("_known_shapes", {}), repr(input_shape)
        if key not in known:
            known[key] = output_shape.of(self.blueprint, input_shape)
        return known[key]

    def check_inputs(self, x):
        input_shape.check(self.blueprint, x)
        super().check_inputs(x)


def _float32(tensor):
    return tf.cast(tensor, tf.float32)
