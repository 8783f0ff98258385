"""Base class of likelihoods of counts."""

import numpy as np
import tensorflow as tf

from bdlzoo.core.count_prediction import CountPrediction
from bdlzoo.likelihoods.density_likelihood import DensityLikelihood

# Of log means: beyond it training has diverged, and floats would soon be infinite.
_LARGEST = 50.0


class CountLikelihood(DensityLikelihood):
    """Reads outputs as a distribution of whole numbers of at least 0.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.
    """

    default_metrics = (*DensityLikelihood.default_metrics, {"type": "PoissonDeviance"})

    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def prediction(self, draws):
        return CountPrediction.made(self.distribution, draws)

    def check_targets(self, targets, output_shape):
        super().check_targets(targets, output_shape)
        check_counts(targets)

    def quick_check(self, targets, output_shape):
        return super().quick_check(targets, output_shape) & quick_counts(targets)


def check_counts(targets, least=0):
    """Raises a `ValueError` if targets are not whole numbers of at least `least`."""
    targets = np.asarray(targets).astype("float64")
    wrong = (targets < least) | (targets % 1 != 0)
    if wrong.any():
        raise ValueError(
            f"Expected counts: whole numbers of at least {least}, not scaled or "
            f"standardised. Received: {targets[wrong][:3].tolist()} among "
            f"{int(wrong.sum())} wrong targets")


def quick_counts(targets, least=0):
    """The same as a quick look inside a graph: a scalar bool."""
    targets = tf.cast(targets, tf.float64)
    return tf.reduce_all((targets >= least) & (tf.floor(targets) == targets))


def bounded(log_means):
    """Log means whose counts are finite."""
    return tf.clip_by_value(log_means, -_LARGEST, _LARGEST)
