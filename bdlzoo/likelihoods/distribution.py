"""Likelihood of any distribution of TensorFlow Probability over single numbers.

    parameter_i = function_i(outputs_i),   p(y) = distribution(parameters)

A name and a dictionary are saved with the model. A function of your own is saved by its
name: register it with `keras.saving.register_keras_serializable`.
"""

import keras
import numpy as np
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core.count_prediction import CountPrediction
from bdlzoo.core.distribution_prediction import DistributionPrediction, event_space
from bdlzoo.likelihoods.count_likelihood import check_counts, quick_counts
from bdlzoo.likelihoods.density_likelihood import DensityLikelihood

# A bound of 1e-6 keeps a parameter apart from 0, where densities are infinite.
_FUNCTIONS = {
    "identity": tf.identity,
    "softplus": lambda raw: tf.nn.softplus(raw) + 1e-6,
    "exp": lambda raw: tf.exp(tf.clip_by_value(raw, -50.0, 50.0)),
    "sigmoid": lambda raw: tf.clip_by_value(tf.sigmoid(raw), 1e-6, 1.0 - 1e-6),
    "tanh": tf.tanh,
}


@keras.saving.register_keras_serializable(package="bdlzoo")
class Distribution(DensityLikelihood):
    """Reads outputs as parameters of a distribution that you choose.

    Quantiles, intervals and CRPS need a distribution with a `cdf`. A temperature needs
    one over all real numbers.

    Args:
        factory: Name of a distribution of TensorFlow Probability, such as `"Gamma"`;
            or a function from P tensors `[..., D]` to a distribution with a batch of
            that shape.
        parameters: For a name, a dictionary from the names of parameters to
            `"identity"`, `"softplus"`, `"exp"`, `"sigmoid"` or `"tanh"` of an output,
            or to a number. For a function, the integer P.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        Distribution("Gamma", {"concentration": "softplus", "rate": "softplus"})
    """

    def __init__(self, factory, parameters, **kwargs):
        super().__init__(**kwargs)
        if isinstance(factory, str):
            _check_parameters(factory, parameters)
            self.num_parameters = sum(
                isinstance(value, str) for value in parameters.values())
        elif not callable(factory) or not isinstance(parameters, int) or (
                parameters < 1):
            raise ValueError(
                "Expected the name of a distribution and a dictionary, or a function "
                "and its number of arguments. Received: "
                f"factory={factory!r}, parameters={parameters!r}")
        else:
            self.num_parameters = parameters
        self.factory = factory
        self.parameters = parameters
        sample = self._sample(0.0)
        self._is_count = event_space(sample) is None
        if not DistributionPrediction(sample).has_cdf:
            self.default_metrics = self.default_metrics[:1]

    def _sample(self, value):
        """A checked distribution of the outputs `[1, 1, P]`, all of one value."""
        with tf.init_scope():
            try:
                sample = self.distribution(tf.fill([1, 1, self.num_parameters], value))
                for moment in (sample.mean, sample.variance):
                    moment()
            except TypeError as error:
                raise ValueError(
                    "Expected parameters that the distribution takes. Received: "
                    f"factory={self.factory!r}, parameters={self.parameters!r}: "
                    f"{error}") from error
            except NotImplementedError as error:
                raise ValueError(
                    "Expected a distribution with a mean and a variance, which every "
                    f"prediction has. Received: {error}") from error
        if sample.event_shape.rank != 0 or sample.batch_shape.as_list() != [
                1, 1, 1] or not sample.dtype.is_floating:
            raise ValueError(
                "Expected a distribution of single floats whose batch has the shape "
                f"of its parameters, here [1, 1, 1]. Received: {sample}")
        return sample

    def distribution(self, outputs):
        parts = iter(tf.split(outputs, self.num_parameters, axis=-1))
        if not isinstance(self.factory, str):
            return self.factory(*parts)
        blank = tf.zeros_like(outputs[..., :outputs.shape[-1] // self.num_parameters])
        values = {name: _FUNCTIONS[value](next(parts)) if isinstance(value, str)
                  else blank + tf.cast(value, outputs.dtype)
                  for name, value in self.parameters.items()}
        return getattr(tfd, self.factory)(**values)

    def prediction(self, draws):
        kind = CountPrediction if self._is_count else DistributionPrediction
        return kind.made(self.distribution, draws)

    def check_targets(self, targets, output_shape):
        super().check_targets(targets, output_shape)
        low, high = self._ends()
        if self._is_count:
            check_counts(targets, low)
            return
        sample = self._sample(0.0)
        targets = np.asarray(targets).astype("float64")
        wrong = (targets < low) | (targets > high)
        for end in (low, high):  # An end may have a density or not.
            if np.isfinite(end) and not np.isfinite(sample.log_prob(end)).all():
                wrong |= targets == end
        if wrong.any():
            raise ValueError(
                f"Expected targets between {low:g} and {high:g}, where {sample.name} "
                f"has a density. Received: {targets[wrong][:3].tolist()} among "
                f"{int(wrong.sum())} wrong targets")

    def quick_check(self, targets, output_shape):
        with tf.init_scope():
            low, high = self._ends()
        finite = super().quick_check(targets, output_shape)
        if self._is_count:
            return finite & quick_counts(targets, low)
        targets = tf.cast(targets, tf.float64)
        return finite & tf.reduce_all((targets > low) & (targets < high))

    def _ends(self):
        """Smallest and largest target of all distributions, two floats."""
        if self._is_count:
            negative = isinstance(self._sample(0.0), tfd.Skellam)  # The only one.
            return -np.inf if negative else 0, np.inf
        found, moved = (
            tuple(np.ravel(DistributionPrediction(self._sample(value)).ends()))
            for value in (0.0, 1.0))
        # Else the outputs decide which targets are possible.
        return found if found == moved else (-np.inf, np.inf)

    def get_config(self):
        named = isinstance(self.factory, str)
        return {**super().get_config(),
                "factory": self.factory if named else
                keras.saving.serialize_keras_object(self.factory),
                "parameters": dict(self.parameters) if named else self.parameters}

    @classmethod
    def from_config(cls, config):
        factory = config["factory"]
        if not isinstance(factory, str):
            factory = keras.saving.deserialize_keras_object(factory)
        return cls(**{**config, "factory": factory})


def _check_parameters(factory, parameters):
    """Raises a `ValueError` if a name or its dictionary is wrong."""
    kind = getattr(tfd, factory, None)
    if not isinstance(kind, type) or not issubclass(kind, tfd.Distribution):
        raise ValueError(
            "Expected the name of a class of `tensorflow_probability.distributions`, "
            f"such as \"Gamma\". Received: factory={factory!r}")
    if not hasattr(parameters, "items") or not any(
            isinstance(value, str) for value in parameters.values()):
        raise ValueError(
            "Expected a dictionary from names of parameters to functions of outputs, "
            "such as {\"concentration\": \"softplus\", \"rate\": 1.0}. Received: "
            f"parameters={parameters!r}")
    for name, value in parameters.items():
        if isinstance(value, str) and value not in _FUNCTIONS:
            raise ValueError(
                f"Expected a number or one of {tuple(_FUNCTIONS)}. Received: "
                f"{name}={value!r}")
