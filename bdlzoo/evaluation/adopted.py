"""Wraps any trained Keras model as a model of the zoo."""

import math

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import batches, keras_internals, registry
from bdlzoo.methods import Deterministic
from bdlzoo.model.predictive_model import PredictiveModel
from bdlzoo.surgery import cloning, replacement

_SUM = 1e-2  # How far from one a row of probabilities may be, in float16 too.
_LOOK = 64  # Rows that tell logits from probabilities.
# Likelihoods that the losses of Keras stand for, by the names of the losses.
_OF_LOSS = {
    **dict.fromkeys(("categorical_crossentropy", "sparse_categorical_crossentropy"),
                    "categorical"),
    "binary_crossentropy": "bernoulli",
    **dict.fromkeys(("mean_squared_error", "mse", "mean_absolute_error", "mae",
                     "huber", "log_cosh", "logcosh"), "gaussian")}


def adopted(model, x, pixel_max=1.0, likelihood=None):
    """Returns a model of the zoo that predicts as a Keras model does.

    The model keeps its weights and its predictions. A softmax at its end is removed,
    because probabilities in float32 saturate, and some scores need the logits. What the
    outputs mean is read from the last layer, from the loss that the model was compiled
    with, or from rows that sum to one; if none of these tells it, `likelihood` must.
    Inputs are reshaped to the shape that the model takes, such as a flat row. The noise
    of a regression is not known: its scale is 1 until `calibrate` is called.

    Args:
        model: Any Keras model. A `PredictiveModel` is returned unchanged.
        x: Some inputs. The outputs for them show whether these are logits or
            probabilities.
        pixel_max: Float, factor of the inputs: 255 if the model was trained on bytes
            and `x` is in [0, 1].
        likelihood: What the outputs mean: `"categorical"` or `"bernoulli"` for logits
            or probabilities of classes, `"gaussian"` for numbers, or a likelihood of
            `bdlzoo.likelihoods`; `None` finds out.

    Returns:
        `PredictiveModel`.
    """
    if isinstance(model, PredictiveModel):
        return model
    if not isinstance(model, keras.Model):
        raise ValueError("Expected a Keras 3 model. Received: "
                         f"{type(model).__module__}.{type(model).__name__}")
    x = tf.nest.map_structure(np.asarray, x)
    network = _fed(model, x, pixel_max)
    rows = network(batches.take(x, slice(_LOOK)), training=False)
    if not tf.is_tensor(rows):
        raise ValueError(
            "Expected a model with one output: wrap each of them, such as "
            "`keras.Model(model.inputs, model.outputs[0])`. Received: "
            f"{len(tf.nest.flatten(rows))} outputs")
    rows = tf.cast(rows, tf.float32)
    if not bool(tf.reduce_all(tf.math.is_finite(rows))):
        raise ValueError("Expected a model with finite outputs: train it again. "
                         "Received: outputs with NaN or infinity")
    if likelihood is None or isinstance(likelihood, str):
        kind = likelihood or _meaning(model, rows)
        likelihood = kind
        if kind in ("categorical", "bernoulli"):
            network, from_logits = _logits(network, kind, rows)
            likelihood = {"type": kind, "from_logits": from_logits}
    result = Deterministic(network, registry.build(likelihood), seed=0)
    result.compile()
    return result


def _fed(network, x, pixel_max):
    """The network, with layers in front that reshape and scale its inputs."""
    if not network.built:
        network(tf.nest.map_structure(
            lambda part: part[:1] * pixel_max if pixel_max != 1 else part[:1], x))
    functional = keras_internals.graph(network)
    several = functional is not None and len(functional.inputs) != 1
    if several or not isinstance(x, np.ndarray):
        if pixel_max != 1:
            raise ValueError("Expected one input to be scaled. Received: "
                             f"pixel_max={pixel_max} with {len(tf.nest.flatten(x))} "
                             "inputs")
        return network
    shape = x.shape[1:]
    wanted = shape if functional is None else tuple(functional.inputs[0].shape[1:])
    fits = len(wanted) == len(shape) and all(
        a in (None, b) for a, b in zip(wanted, shape))
    if fits and pixel_max == 1:
        return network
    if not fits and (None in wanted or math.prod(wanted) != math.prod(shape)):
        raise ValueError(f"Expected data in the shape that the model takes, "
                         f"{wanted}. Received: rows of shape {tuple(shape)}")
    x = inputs = keras.Input(shape)
    if pixel_max != 1:
        x = keras.layers.Rescaling(pixel_max)(x)
    if not fits:
        x = keras.layers.Reshape(wanted)(x)
    return keras.Model(inputs, network(x), name=network.name)


def _meaning(model, rows):
    """Name of the likelihood of the outputs, from the layers, the loss or the rows."""
    last = _last_layer(model)
    if _is(last, "softmax"):
        return "categorical"
    of_loss = _OF_LOSS.get(_loss_name(model))
    if of_loss is not None:
        return of_loss
    if _is(last, "sigmoid"):
        return "bernoulli"
    if rows.shape[-1] > 1 and _sum_to_one(rows):
        return "categorical"
    raise ValueError(
        "Expected a model that says what its outputs mean: one that ends in a softmax "
        "or a sigmoid, or is compiled with its loss. Give `likelihood`, such as "
        "\"categorical\" for logits of classes, \"bernoulli\" for the logit of class "
        f"1, or \"gaussian\" for numbers. Received: {model.name} with outputs of shape "
        f"{tuple(rows.shape)} and loss {_loss_name(model)}")


def _loss_name(model):
    """Name of the loss that a model was compiled with; `None` if there is none."""
    loss = getattr(model, "loss", None)
    if isinstance(loss, (list, tuple)) and len(loss) == 1:
        [loss] = loss
    if isinstance(loss, keras.losses.Loss):
        loss = loss.name
    return loss if isinstance(loss, str) else getattr(loss, "__name__", None)


def _logits(network, kind, rows):
    """The network, without a softmax at its end, and whether it has logits."""
    last = _last_layer(network)
    if kind == "categorical" and _is(last, "softmax"):
        if not isinstance(last, keras.layers.Layer):
            return network, False
        return _without_softmax(network, last), True
    inside = not bool(tf.reduce_any((rows < 0) | (rows > 1)))
    if kind == "bernoulli":
        return network, not (inside or _is(last, "sigmoid"))
    if inside and not _sum_to_one(rows):
        raise ValueError(
            "Expected logits, or probabilities that sum to one in each row. For "
            "several labels per input give `likelihood=\"bernoulli\"`. Received: rows "
            f"within [0, 1] that sum to {tf.reduce_sum(rows, -1)[:3].numpy()}")
    return network, not inside


def _without_softmax(network, last):
    copied = []

    def linear(layer):
        if layer is not last:
            return None
        softmax = isinstance(last, keras.layers.Softmax)
        copied.append(keras.layers.Activation("linear", name=last.name) if softmax
                      else cloning.clone(last, activation="linear"))
        return copied[-1]

    twin = replacement.convert(network, linear)
    if last.weights:
        cloning.copy_state(last, *copied)
    return twin


def _last_layer(network):
    """Layer or operation that makes the outputs; `None` if it is hidden."""
    functional = keras_internals.graph(network)
    if functional is None:
        return None
    *_, node = keras_internals.nodes(functional)
    if keras_internals.graph(node.operation) is not None:
        return _last_layer(node.operation)
    return node.operation


def _is(layer, activation):
    kind = {"softmax": keras.layers.Softmax}.get(activation, ())
    return isinstance(layer, kind) or (
        layer is not None and getattr(layer, "activation", None)
        is getattr(keras.activations, activation)) or (
        type(layer).__name__.lower() == activation)


def _sum_to_one(rows):
    """Whether rows are probabilities of classes."""
    outside = tf.reduce_any((rows < 0) | (rows > 1))
    gaps = tf.abs(tf.reduce_sum(rows, -1) - 1.0)
    return not bool(outside) and bool(tf.reduce_all(gaps <= _SUM))
