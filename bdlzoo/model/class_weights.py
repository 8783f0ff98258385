"""Weights of classes as weights of the positions that have these classes.

Keras makes weights of rows from targets `[B]`, `[B, 1]` and `[B, C]`. It takes labels
`[B, T]` of positions for one-hot rows, and is wrong without an error.
"""

import numpy as np
import tensorflow as tf

from bdlzoo.core import batches, keras_internals
from bdlzoo.likelihoods import Categorical


def of_positions(model, x, y, sample_weight, class_weight):
    """Turns `class_weight` into weights of positions where Keras does not.

    Args:
        model: `PredictiveModel`.
        x: Inputs: arrays, a dataset of batches, or what else Keras takes.
        y: Targets; `None` if they are in `x`.
        sample_weight: Weights, or `None`.
        class_weight: Dictionary from a class to its weight, or `None`.

    Returns:
        Inputs, `sample_weight` and `class_weight`, with the weights in one of them.
    """
    parts = _specs(x, y) if class_weight else None
    if not class_weight or parts and len(parts[1].shape) < 2:
        return x, sample_weight, class_weight
    if parts is None:
        functional = keras_internals.graph(model.blueprint)
        if functional is not None and len(functional.output_shape) > 2:
            raise ValueError(
                "Expected arrays or a dataset beside `class_weight`, because outputs "
                f"{tuple(functional.output_shape)} have positions: give weights "
                "`[B, ...]` as the third part of each batch instead. Received: "
                f"{type(x).__name__}")
        return x, sample_weight, class_weight
    shape = model.output_shape_of(batches.row_shapes(parts[0]))
    one_hot = isinstance(model.likelihood, Categorical) and (
        shape[-1] > 1 and len(parts[1].shape) == len(shape)
        and parts[1].shape[-1] == shape[-1])
    if len(shape) == 2 and (one_hot or parts[1].shape[-1] == 1):
        return x, sample_weight, class_weight
    if sample_weight is not None or len(parts) > 2:
        raise ValueError("Expected either `class_weight` or `sample_weight`. "
                         "Received: both")
    table = np.ones(max(class_weight) + 1, "float32")
    table[list(class_weight)] = list(class_weight.values())
    if not isinstance(x, tf.data.Dataset):
        return x, _looked_up(y, table, one_hot).numpy(), None
    return x.map(lambda x, y: (x, y, _looked_up(y, table, one_hot))), None, None


def _looked_up(y, table, one_hot):
    """Weight of the class of each position; 1 for a class without a weight."""
    labels = tf.argmax(tf.cast(y, tf.float32), axis=-1) if one_hot else (
        tf.cast(y, tf.int64))
    known = (labels >= 0) & (labels < len(table))
    return tf.where(known, tf.gather(table, tf.where(known, labels, 0)), 1.0)


def _specs(x, y):
    """Inputs and targets (and weights), or their specs; `None` if they are unknown."""
    if isinstance(x, tf.data.Dataset):
        return x.element_spec if isinstance(x.element_spec, tuple) else None
    return (x, y) if batches.is_arrays(x) and hasattr(y, "shape") else None
