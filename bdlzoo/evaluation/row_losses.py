"""Losses of rows as functions of some weights, and their derivatives.

    objective(w) = mean over rows of loss_i(w) + regulariser(w) + prior(w)
    loss_i(w)    = - mean over s of log p(y_i | x_i, w, noise_s),     s = 1, ..., S

The noise of the S draws is fixed, that of `predict_uncertainty` for the same seed, so
that all are smooth functions. What is below the weights runs once for each row. The
regularisers of Keras count once for a row, since they do not shrink as data grow. The
prior of a model of the zoo counts once for the data, and does not leave with a row.
"""

import functools

import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.batches import num_rows, row_shapes
from bdlzoo.evaluation.adopted import adopted
from bdlzoo.methods import Deterministic
from bdlzoo.model.predictive_model import PredictiveModel
from bdlzoo.surgery import memory
from bdlzoo.surgery.head_weights import HeadWeights

_MEASURES = {"variance": ("total_variance", "variance")}  # Of classes, of numbers.
_ROWS = 1000  # Rows of a batch, at most.


class RowLosses:
    """Computes losses and scores of rows, and their derivatives in the weights.

    Args:
        model: Trained Keras model, or `PredictiveModel`.
        train: Pair of inputs and targets, the rows of the objective.
        layers: Selection of the weights, see `HeadWeights`.
        num_samples: Integer, draws of a model with noise.
        seed: Integer, seed of the draws.
        likelihood: What the outputs of a plain Keras model mean; `None` finds out.
    """

    def __init__(self, model, train, layers="last", num_samples=16, seed=0,
                 likelihood=None):
        x, y = train
        model = adopted(model, x, likelihood=likelihood)
        model.build_once(x)
        model.check_ready()
        model.check_data(x, y)
        if hasattr(model, "kept_samples"):
            raise ValueError(
                "Expected a model whose weights are at a minimum of its loss. "
                f"Received: {type(model).__name__}, whose draws are samples of a chain")
        if len(model.output_shape_of(row_shapes(x))) != 2:
            raise ValueError("Expected one target a row. Received: outputs with "
                             "positions")
        self.model = model
        self.layers = layers
        self.head = HeadWeights(model.network, layers)
        self._begin = None
        own = type(model).draw_parts
        self.splits = own in (PredictiveModel.draw_parts, Deterministic.draw_parts)
        fixed = not model.draws_differ or model.stores_draws
        self.num_samples = (model.num_samples if model.stores_draws
                            else 1 if fixed else num_samples)
        self._keys = noise.split(noise.key(seed, noise.PREDICT), self.num_samples)
        self._key = noise.key(seed, noise.PREDICT)
        self._likelihood = getattr(model, "member_likelihood", model.likelihood)
        row_bytes, _ = memory.needs(model.blueprint)
        self.row_bytes = self.num_samples * row_bytes
        self.batch = max(1, min(_ROWS, memory.BUDGET // (8 * self.row_bytes)))
        self.hidden, self.y = self.prepare(x), tf.convert_to_tensor(y)
        self.num_rows = num_rows(x)
        # A subset of the training rows has the influence of rows among all.
        known = float(model.num_data)
        self.num_data = known if known > 1 else float(self.num_rows)

    def prepare(self, x):
        """What the weights read, for all rows."""
        if not self.splits:
            return tf.nest.map_structure(tf.convert_to_tensor, x)
        if self._begin is None:
            self._begin = tf.function(self.head.begin, reduce_retracing=True)
        parts = [self._begin(tf.nest.map_structure(
            lambda t: tf.convert_to_tensor(t[start:start + self.batch]), x))
            for start in range(0, num_rows(x), self.batch)]
        return tf.nest.map_structure(lambda *all: tf.concat(all, axis=0), *parts)

    def replace(self, rows, x):
        """Puts other inputs in the place of some training rows.

        Args:
            rows: Integers `[R]`.
            x: Inputs `[R, ...]`.
        """
        places = np.reshape(rows, [-1, 1])
        self.hidden = tf.nest.map_structure(
            lambda old, new: tf.tensor_scatter_nd_update(old, places, new),
            self.hidden, self.prepare(x))

    def draws(self, vector, hidden):
        """Outputs `[S, B, C]` of the draws."""
        if not self.splits:
            with self.head.scope(vector):
                return self.model.draw(hidden, self.num_samples, self._key)
        return tf.stack([tf.cast(outputs, tf.float32) for outputs in self.each(
            functools.partial(self.head.finish, vector, hidden))])

    def each(self, function):
        """Results of a function, one for each draw, inside its scope."""
        if isinstance(self.model, Deterministic):
            return [function()]
        results = []
        for place in range(self.num_samples):
            with noise.draws(self._keys[place], coherent=True):
                results.append(function())
        return results

    def of_draws(self, draws, y):
        """Losses `[B]` of the training objective, from draws."""
        return self.model.data_loss(self._likelihood.log_prob(y, draws))

    def losses(self, vector, hidden, y):
        """Losses `[B]` of rows in the training objective, without regularisers."""
        return self.of_draws(self.draws(vector, hidden), y)

    def scores(self, vector, hidden, y, of="loss"):
        """A quantity of the averaged prediction of each row, `[B]`.

        Args:
            vector: Weights `[P]`.
            hidden: Result of `prepare`.
            y: Targets, which only `"loss"` reads.
            of: Name of the quantity, or a function of the prediction.
        """
        prediction = self.model.likelihood.prediction(self.draws(vector, hidden))
        if of == "loss":
            values = -prediction.log_prob(y)
        elif callable(of):
            values = of(prediction)
        else:
            names = [name for name in _MEASURES.get(of, (of,))
                     if hasattr(type(prediction), name)]
            if not names:
                raise ValueError(
                    "Expected \"loss\", a measure of the prediction such as "
                    "\"mutual_information\" or \"variance\", or a function of it. "
                    f"Received: of={of!r} for {type(prediction).__name__}")
            values = getattr(prediction, names[0])
        return tf.reduce_sum(values, axis=list(range(1, len(values.shape))))

    @functools.cached_property
    def probabilities(self):
        """Function of weights and prepared inputs: probabilities of classes."""
        return tf.function(lambda vector, hidden: tf.exp(
            self.model.likelihood.prediction(self.draws(vector, hidden)).log_mean))

    @functools.cached_property
    def loss_slope(self):
        """Function of weights and prepared rows: gradients `[B, P]` of `scores`."""
        return tf.function(lambda vector, hidden, y: self.gradients(
            vector, hidden, y, self.scores))

    def regulariser(self, vector):
        """Sum of the regularisers of Keras, a scalar, which each row has."""
        with self.head.scope(vector):
            return tf.add_n([tf.zeros([]), *(tf.cast(term, tf.float32)
                                             for term in self.model.network.losses)])

    def prior(self, vector):
        """Divergence from the prior for one row of all, a scalar."""
        with self.head.scope(vector), noise.draws(self._key):
            kl = self.model.kl()
        if kl is None:
            return tf.zeros([])
        return self.model.kl_weight * tf.cast(kl, tf.float32) / self.num_data

    def penalty(self, vector):
        """All that the objective has beside the losses, a scalar."""
        return self.regulariser(vector) + self.prior(vector)

    def rows(self, first, last):
        """Prepared inputs and targets of some training rows."""
        return (tf.nest.map_structure(lambda t: t[first:last], self.hidden),
                self.y[first:last])

    def batches(self, rows=None):
        """Pairs of first and last row, of batches that fit the memory."""
        count, size = self.num_rows, min(rows or self.batch, self.batch)
        return [(first, min(first + size, count)) for first in range(0, count, size)]

    def gradients(self, vector, hidden, y, values):
        """Gradients `[B, P]` of the rows, none of which sees another one.

        Args:
            vector: Weights `[P]`.
            hidden: Result of `prepare`.
            y: Targets.
            values: Function of weights, prepared inputs and targets: `losses`, or
                `scores`.
        """
        def one(row):
            hidden, y = tf.nest.map_structure(lambda t: t[None], row)
            with tf.GradientTape() as tape:
                tape.watch(vector)
                value = tf.reduce_sum(values(vector, hidden, y))
            return tape.gradient(value, vector, unconnected_gradients="zero")

        return tf.vectorized_map(one, (hidden, y), warn=False)

    @functools.cached_property
    def _value_and_gradient(self):
        @tf.function(reduce_retracing=True)
        def total(vector, hidden, y, weights):
            with tf.GradientTape() as tape:
                tape.watch(vector)
                value = tf.reduce_sum(weights * self.losses(vector, hidden, y))
            return value, tape.gradient(value, vector)

        return total

    @functools.cached_property
    def _penalty_and_gradient(self):
        @tf.function
        def both(vector):
            results = []
            for function in (self.regulariser, self.prior):
                with tf.GradientTape() as tape:
                    tape.watch(vector)
                    value = function(vector)
                results.append((value, tape.gradient(
                    value, vector, unconnected_gradients="zero")))
            return results

        return both

    def objective(self, vector, left_out=()):
        """Value and gradient `[P]` of the objective, in float64.

        The sum over rows is divided by their number, with or without those left out,
        which moves no minimum: the regulariser of a row leaves with it.

        Args:
            vector: Weights `[P]`.
            left_out: Rows that are not trained on.
        """
        vector = tf.cast(vector, tf.float32)
        weights = np.ones(self.num_rows, "float32")
        weights[list(left_out)] = 0.0
        value, gradient = 0.0, 0.0
        for first, last in self.batches():
            part, slope = self._value_and_gradient(
                vector, *self.rows(first, last), weights[first:last])
            value += float(part)
            gradient = gradient + slope.numpy().astype("float64")
        (reg, reg_slope), (prior, prior_slope) = self._penalty_and_gradient(vector)
        share = float(weights.mean())
        return (value / self.num_rows + share * float(reg) + float(prior),
                gradient / self.num_rows + share * reg_slope.numpy().astype("float64")
                + prior_slope.numpy())

    def regulariser_slope(self, vector):
        """Gradient `[P]` of the regularisers, which each row has."""
        return self._penalty_and_gradient(vector)[0][1].numpy().astype("float64")
