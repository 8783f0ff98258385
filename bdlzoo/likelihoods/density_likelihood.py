"""Base class of likelihoods that are a distribution for each target.

    outputs [..., D P]  ->  distribution of D numbers, from P parameters each

The last axis holds the first parameter of all D targets, then the second one, and so
on.
"""

import numpy as np
import tensorflow as tf

from bdlzoo.core.distribution_prediction import DistributionPrediction
from bdlzoo.likelihoods.likelihood import Likelihood, check_finite, quick_finite


class DensityLikelihood(Likelihood):
    """Reads outputs as parameters of a distribution of single numbers.

    A subclass writes `distribution`, and sets `num_parameters`, the number of outputs
    for each target.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.
    """

    default_metrics = ({"type": "RootMeanSquaredError", "name": "rmse"},
                       {"type": "CRPS"}, {"type": "IntervalCoverage"})
    num_parameters = 1

    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def build(self, output_shape):
        if output_shape[-1] % self.num_parameters:
            raise ValueError(
                f"Expected {self.num_parameters} outputs for each target: give the "
                f"network a multiple of {self.num_parameters} outputs. Received: "
                f"output_shape={tuple(output_shape)}")

    def distribution(self, outputs):
        """Distribution of TensorFlow Probability with a batch of `[..., D]`."""
        raise NotImplementedError

    def log_prob(self, targets, outputs):
        outputs = tf.convert_to_tensor(outputs)
        targets = like_outputs(targets, outputs, self.num_parameters)
        return tf.reduce_sum(self.distribution(outputs).log_prob(targets), axis=-1)

    def prediction(self, draws):
        return DistributionPrediction.made(self.distribution, draws)

    def check_targets(self, targets, output_shape):
        check_shape(targets, output_shape, self.num_parameters)

    def quick_check(self, targets, output_shape):
        return quick_finite(targets)


def like_outputs(targets, outputs, num_parameters):
    """Targets as `[1, B, ..., D]`, or `[B, ..., D]` for outputs without draws.

    Args:
        targets: Targets `[B, ..., D]`; the last axis may be left out if D is 1.
        outputs: Tensor `[S, B, ..., D P]` or `[B, ..., D P]`.
        num_parameters: Integer P, number of outputs for each target.
    """
    targets = tf.cast(targets, outputs.dtype)
    shape = tf.shape(outputs)
    same = tf.size(targets) * num_parameters == tf.size(outputs)
    # If there are as many targets as positions, the first axis is not one of draws.
    first = tf.where(same, shape[0], 1)
    return tf.reshape(targets, tf.concat(
        [[first], shape[1:-1], [outputs.shape[-1] // num_parameters]], axis=0))


def check_shape(targets, output_shape, num_parameters):
    """Raises a `ValueError` if targets have another shape, or are not finite.

    Args:
        targets: Array of targets.
        output_shape: Shape of the outputs `[B, ..., D P]`; `None` for an open size.
        num_parameters: Integer P, number of outputs for each target.
    """
    targets = np.asarray(targets)
    size = output_shape[-1] // num_parameters
    wanted = (*output_shape[1:-1], size)
    shape = targets.shape[1:]
    if size == 1 and len(shape) == len(wanted) - 1:
        shape = (*shape, 1)
    if len(shape) != len(wanted) or any(
            there not in (None, here) for here, there in zip(shape, wanted)):
        form = ", ".join("?" if axis is None else str(axis) for axis in wanted)
        raise ValueError(
            f"Expected targets of shape [B, {form}], {size} target(s) for the "
            f"{output_shape[-1]} outputs at each position. Received: "
            f"targets.shape={targets.shape}")
    check_finite(targets)
