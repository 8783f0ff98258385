"""Base class of models whose outputs have a Gaussian distribution for each input.

    outputs ~ N(mean, covariance)

The averaged prediction then needs no draws: it has a closed form for numbers, and an
approximation for classes (see `bdlzoo.families.gaussian_logits`). Draws give the rest.
"""

import tensorflow as tf

from bdlzoo.core import batches, noise
from bdlzoo.core.draw_places import places
from bdlzoo.families import gaussian_logits
from bdlzoo.likelihoods import Bernoulli, Categorical, Gaussian
from bdlzoo.model.predictive_model import PredictiveModel
from bdlzoo.surgery import memory

PREDICTIVES = ("probit", "bridge", "samples")


class GaussianOutputModel(PredictiveModel):
    """Predicts by the moments of the outputs.

    Args:
        network: Keras model whose outputs the likelihood reads.
        likelihood: Name, spec or `Likelihood`: categorical, Bernoulli or Gaussian.
        predictive: How the averaged prediction of classes is computed: `"probit"`,
            `"bridge"` or `"samples"`. Numbers have a closed form in all cases.
        **kwargs: Arguments of `PredictiveModel`: `num_samples`,
            `num_train_samples`, `kl_weight`, `num_data`, `seed`.
    """

    predictives = PREDICTIVES

    def __init__(self, network, likelihood="categorical", *, predictive="probit",
                 **kwargs):
        super().__init__(network, likelihood, **kwargs)
        if predictive not in self.predictives:
            raise ValueError(f"Expected one of {self.predictives}. Received: "
                             f"predictive={predictive!r}")
        if not isinstance(self.likelihood, (Categorical, Bernoulli, Gaussian)) or (
                getattr(self.likelihood, "copies", 1) > 1):
            raise ValueError(
                "Expected likelihood=\"categorical\", \"bernoulli\" or \"gaussian\". "
                f"Received: likelihood={type(self.likelihood).__name__}")
        if not getattr(self.likelihood, "from_logits", True):
            raise ValueError(
                "Expected a network that ends in logits: set the activation of its "
                "last layer to `keras.activations.linear`, which leaves the weights as "
                "they are. Received: likelihood="
                f"{type(self.likelihood).__name__}(from_logits=False)")
        if predictive == "bridge" and not isinstance(self.likelihood, Categorical):
            raise ValueError(
                "Expected several classes for the Laplace bridge. Received: predictive="
                f"{predictive!r} with likelihood={type(self.likelihood).__name__}")
        self.predictive = predictive

    # What a method has.

    def output_moments(self, inputs):
        """Mean, variance, and covariance with the sum of the outputs, each `[B, C]`."""
        raise NotImplementedError

    def output_draw(self, inputs):
        """Function of a key that draws outputs `[B, C]`, the same weights for all."""
        raise NotImplementedError

    # The machinery.

    def build(self, input_shape):
        super().build(input_shape)
        self.refuse_positions(self.output_shape_of(input_shape),
                              "the outputs of a row have one distribution")
        self._known_of_rows = tf.function(self._known, reduce_retracing=True)

    def draw_parts(self, inputs, num_samples, key):
        draw, keys = self.output_draw(inputs), noise.split(key, num_samples)
        at_once = memory.draws_in_flight(inputs, self._row_bytes, self._weight_bytes)
        return lambda first, count: tf.map_fn(
            draw, tf.gather(keys, places(first, count, num_samples)),
            parallel_iterations=at_once, fn_output_signature=tf.float32)

    def refined(self, prediction, *inputs):
        if not self.has_known_mean:
            return prediction
        if not tf.executing_eagerly():
            [rows] = inputs
            return prediction.known(*self._known(rows))
        step = memory.rows_at_once(self._row_bytes, self._weight_bytes)
        parts = [self._known_of_rows(batches.take(rows, slice(start, start + step)))
                 for rows in inputs for start in range(0, batches.num_rows(rows), step)]
        return prediction.known(*(tf.concat(part, axis=0) for part in zip(*parts)))

    @property
    def has_known_mean(self):
        """Whether the averaged prediction comes from the moments, not from draws."""
        numbers = isinstance(self.likelihood, Gaussian)
        return self.predictive in ("probit", "bridge") or (
            numbers and self.predictive == "samples")

    def _known(self, inputs):
        """What is known without draws: arguments of `known` of a prediction."""
        mean, variance, with_sum = self.output_moments(inputs)
        if isinstance(self.likelihood, Gaussian):
            return mean, variance
        if isinstance(self.likelihood, Bernoulli):
            return (gaussian_logits.log_binary_probit(mean, variance),)
        if self.predictive == "bridge":
            return (gaussian_logits.log_bridge(mean, variance, with_sum),)
        return (gaussian_logits.log_probit(mean, variance),)

    def get_config(self):
        return {**super().get_config(), "predictive": self.predictive}
