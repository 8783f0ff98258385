"""Wraps any Keras classifier as a model of the zoo."""

import math

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import keras_internals
from bdlzoo.methods import Deterministic
from bdlzoo.model.predictive_model import PredictiveModel
from bdlzoo.surgery import replacement

_SOFTMAX = keras.activations.softmax
_SUM = 1e-2  # How far from one a row of probabilities may be, in float16 too.
_LOOK = 64  # Rows that tell logits from probabilities.


def adopted(model, x, pixel_max=1.0):
    """Returns a model of the zoo that predicts as a Keras classifier does.

    The classifier keeps its weights and its predictions. A softmax at its end is
    removed, because probabilities in float32 saturate, and some scores need the
    logits. Two or more outputs are classes; a single output is the logit of class 1.
    Inputs are reshaped to the shape that the classifier takes, such as a flat row.

    Args:
        model: Any Keras classifier. A `PredictiveModel` is returned unchanged.
        x: Some inputs. The outputs for them show whether these are logits or
            probabilities.
        pixel_max: Float, factor of the inputs: 255 if the classifier was trained on
            bytes and `x` is in [0, 1].

    Returns:
        `PredictiveModel`.
    """
    if isinstance(model, PredictiveModel):
        return model
    if not isinstance(model, keras.Model):
        raise ValueError("Expected a Keras 3 model. Received: "
                         f"{type(model).__module__}.{type(model).__name__}")
    x = np.asarray(x)
    if not model.built:
        model(x[:1] * pixel_max)
    network, from_logits = _without_softmax(model)
    network = _fed(network, x.shape[1:], pixel_max)
    rows = tf.cast(network(x[:_LOOK], training=False), tf.float32)
    if len(rows.shape) != 2:
        raise ValueError("Expected a classifier with one row of outputs per input. "
                         f"Received: outputs of shape {tuple(rows.shape)}")
    if not bool(tf.reduce_all(tf.math.is_finite(rows))):
        raise ValueError("Expected a classifier with finite outputs: train it "
                         "again. Received: outputs with NaN or infinity")
    if from_logits is None:
        from_logits = not _are_probabilities(rows)
    elif not from_logits:
        _are_probabilities(rows)
    outputs = rows.shape[-1]
    kind = "bernoulli" if outputs == 1 else "categorical"
    result = Deterministic(
        network, {"type": kind, "from_logits": from_logits}, seed=0)
    result.compile()
    return result


def _fed(network, shape, pixel_max):
    """The network, with layers in front that reshape and scale its inputs."""
    functional = keras_internals.graph(network)
    if functional is not None and len(functional.inputs) != 1:
        raise ValueError("Expected a classifier with one input. Received: "
                         f"{len(functional.inputs)} inputs")
    wanted = shape if functional is None else tuple(functional.inputs[0].shape[1:])
    fits = len(wanted) == len(shape) and all(
        a in (None, b) for a, b in zip(wanted, shape))
    if fits and pixel_max == 1:
        return network
    if not fits and (None in wanted or math.prod(wanted) != math.prod(shape)):
        raise ValueError(f"Expected data in the shape that the classifier takes, "
                         f"{wanted}. Received: rows of shape {tuple(shape)}")
    x = inputs = keras.Input(shape)
    if pixel_max != 1:
        x = keras.layers.Rescaling(pixel_max)(x)
    if not fits:
        x = keras.layers.Reshape(wanted)(x)
    return keras.Model(inputs, network(x), name=network.name)


def _without_softmax(model):
    """The network without a softmax at its end, and whether its outputs are logits.

    The second value is `None` if it cannot be known from the layers.
    """
    functional = keras_internals.graph(model)
    if functional is None:
        return model, None
    *_, last = keras_internals.nodes(functional)
    layer = last.operation
    activation = getattr(layer, "activation", None)
    if activation is not _SOFTMAX and not isinstance(layer, keras.layers.Softmax):
        return model, None
    if not isinstance(layer, keras.layers.Layer):
        return model, False

    def linear(other):
        if other is not layer:
            return None
        if isinstance(layer, keras.layers.Softmax):
            return keras.layers.Activation("linear", name=layer.name)
        return type(layer).from_config({**layer.get_config(),
                                        "activation": "linear"})

    twin = replacement.convert(model, linear)
    *_, end = keras_internals.nodes(keras_internals.graph(twin))
    end.operation.set_weights(layer.get_weights())
    return twin, True


def _are_probabilities(rows):
    """Whether rows are probabilities; raises an error if this is not clear."""
    if bool(tf.reduce_any((rows < 0) | (rows > 1))):
        return False
    if rows.shape[-1] == 1:
        return True
    sums = tf.reduce_sum(rows, -1)
    if bool(tf.reduce_any(tf.abs(sums - 1.0) > _SUM)):
        raise ValueError(
            "Expected logits, or probabilities that sum to one in each row. A model "
            "with several labels per input is not supported. Received: rows within "
            f"[0, 1] that sum to {sums[:3].numpy()}")
    return True
