"""Base class of classifiers that are trained on inputs which an adversary moves.

    loss = mean over rows of what x' and x cost + prior,    ||x' - x|| <= epsilon

The adversary uses the network as it predicts (`training=False`: BatchNorm keeps its
statistics, dropout is off). The network is then trained on the moved inputs as usual.
The radius grows linearly over the first epochs, since a network that starts with a
large radius may not learn at all. With radius 0 this is standard training. One network
predicts, and all draws are the same.
"""

import typing

import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.ball import Ball
from bdlzoo.core.batches import is_arrays
from bdlzoo.core.positions import cleaned
from bdlzoo.core.replicas import rows_of_all
from bdlzoo.families import point_estimate
from bdlzoo.families.prior_model import PriorModel
from bdlzoo.likelihoods import Categorical
from bdlzoo.model.objective import seen


class Attacked(typing.NamedTuple):
    """Result of an adversary.

    Args:
        inputs: Tensor like the inputs.
        penalty: Scalar that is added to the loss.
        logs: Dictionary of scalars for the logs.
    """

    inputs: tf.Tensor
    penalty: tf.Tensor | float = 0.0
    logs: dict = {}


class AdversarialModel(PriorModel):
    """Trains a network on attacked inputs.

    A subclass writes `attacked`, and `terms` if its loss is more than the likelihood
    of the attacked inputs.

    Args:
        network: Keras model that classifies; its outputs are logits.
        likelihood: Must be the categorical likelihood of logits.
        epsilon: Float, radius of the ball (largest change of a number); 0 is
            standard training.
        warm_up: Float, epochs over which the radius grows to `epsilon`; 0 for none.
        low: Float, smallest value that an input may have.
        high: Float, largest value that an input may have.
        num_samples: Integer, draws at prediction. All draws are the same, so one is
            enough.
        **kwargs: Arguments of `PriorModel`: `prior_scale`, `num_train_samples`,
            `kl_weight`, `num_data`, `seed`.
    """

    draws_differ = False

    def __init__(self, network, likelihood="categorical", *, epsilon=0.3, warm_up=1.0,
                 low=0.0, high=1.0, num_samples=1, **kwargs):
        super().__init__(network, likelihood, num_samples=num_samples, **kwargs)
        for name, value in (("epsilon", epsilon), ("warm_up", warm_up)):
            check_number(name, value, 0.0)
        if not low < high:
            raise ValueError("Expected `low` below `high`. Received: "
                             f"low={low}, high={high}")
        if not isinstance(self.likelihood, Categorical) or (
                not self.likelihood.from_logits):
            raise ValueError(
                "Expected the categorical likelihood of a network that returns "
                "logits, which attacks need. Received: likelihood="
                f"{self.likelihood.name} with from_logits="
                f"{getattr(self.likelihood, 'from_logits', None)}")
        self.epsilon = epsilon
        self.warm_up = warm_up
        self.low = low
        self.high = high

    def attacked(self, ball, y, key):
        """Moves a batch.

        Args:
            ball: `Ball` around the inputs.
            y: Integer classes `[B]`.
            key: Noise key.

        Returns:
            `Attacked`.
        """
        raise NotImplementedError

    def terms(self, x, attacked, y):
        """Outputs `[B, C]`, and the terms of the loss by name, `[B]` each."""
        del x
        outputs = self.outputs(attacked)
        return outputs, {"nll": cross_entropy(outputs, y)}

    def outputs(self, x):
        """Logits in training."""
        return tf.cast(self.network(x, training=True), tf.float32)

    def logits(self, x):
        """Logits as the adversary sees them."""
        return tf.cast(self.network(x, training=False), tf.float32)

    def losses_of(self, x, y):
        """Negative log-likelihood as the adversary sees it, `[B]`."""
        return cross_entropy(self.logits(x), y)

    def radius(self, x):
        """Radius in this step, a float or a scalar."""
        if not self.epsilon or not self.warm_up:
            return float(self.epsilon)
        steps = self.warm_up * self.num_data / rows_of_all(x)
        step = tf.cast(self.optimizer.iterations, tf.float32)
        return self.epsilon * tf.minimum(1.0, (step + 1.0) / steps)

    def draw_parts(self, inputs, num_samples, key):
        del key, num_samples  # There is nothing to draw.
        return point_estimate.draw_parts(self.network, inputs)

    def objective(self, x, y, sample_weight, key):
        x, blank = tf.cast(x, tf.float32), self._blank(x)
        counted = self.positions(blank[0, :, 0], y, blank, sample_weight)
        y = self.likelihood.labels(cleaned(y, counted.counts), blank)  # [B]
        found = Attacked(x)
        if self.epsilon:
            ball = Ball(x, self.radius(x), self.low, self.high)
            found = self.attacked(ball, y, noise.fold_in(key, 1))
        with noise.draws(key):
            outputs, terms = self.terms(x, found.inputs, y)
        logs = self.with_prior(tf.add_n([*terms.values()]), x, counted, key)
        logs["loss"] += found.penalty
        means = {name: counted.mean(rows) for name, rows in terms.items()}
        return {**logs, **means, **found.logs}, seen(
            self.likelihood.prediction(outputs[None]), counted)

    def _blank(self, x):
        """Outputs `[1, B, C]` of zeros, which tell the shape before there are any."""
        return tf.zeros([1, tf.shape(x)[0], self._num_classes])

    def build(self, input_shape):
        super().build(input_shape)
        shape = self.output_shape_of(input_shape)
        self.refuse_positions(shape, "an attack moves an input to another class")
        self._num_classes = shape[-1]

    def served_parts(self):
        return [self.network, self.likelihood, self.calibration]

    def check_data(self, x, y):
        super().check_data(x, y)
        if is_arrays(x):
            least, most = np.min(x), np.max(x)
            if least < self.low or most > self.high:
                raise ValueError(
                    f"Expected inputs in [{self.low}, {self.high}]: scale them, or "
                    "give the model their range as `low` and `high`. Received: x with "
                    f"values from {least:g} to {most:g}")

    def quick_check(self, x, y):
        within = (tf.reduce_min(x) >= tf.cast(self.low, x.dtype)) & (
            tf.reduce_max(x) <= tf.cast(self.high, x.dtype))
        return super().quick_check(x, y) & within

    def get_config(self):
        return {**super().get_config(), "epsilon": self.epsilon,
                "warm_up": self.warm_up, "low": self.low, "high": self.high}


def cross_entropy(logits, y):
    """Negative log-likelihood of integer classes, `[B]`."""
    return tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)


def check_number(name, value, least, above=False):
    """Raises if a number is not finite, or too small.

    Args:
        name: Name of the number in the error.
        value: The number.
        least: Float, smallest value.
        above: Bool, whether the number must be larger than `least`.
    """
    fits = value > least if above else value >= least
    if not fits or value == float("inf"):
        raise ValueError(
            f"Expected a finite number {'above' if above else 'of at least'} "
            f"{least:g}. Received: {name}={value}")
