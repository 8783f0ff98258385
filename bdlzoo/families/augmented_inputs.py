"""Inputs that Keras layers change at random in training.

The layers get the noise of the zoo, see `bdlzoo.surgery.random_layers`.
"""

import keras
import tensorflow as tf

from bdlzoo.core import registry
from bdlzoo.surgery import input_form, random_layers


def augmentation(spec):
    """A layer or model of a spec, or of a list of them; `None` for none.

    Args:
        spec: Keras layer or model, a name, a dictionary with the name under `type`, a
            list of them, or `None`.
    """
    if isinstance(spec, (list, tuple)):
        return keras.Sequential([registry.build(each, keras.layers) for each in spec])
    built = registry.build(spec, keras.layers)
    if built is not None and not isinstance(built, keras.layers.Layer):
        raise ValueError("Expected a layer or model of Keras, a spec of one, or a list "
                         f"of them. Received: augmentation={spec!r}")
    return built


def build(layer, network, input_shape):
    """Builds an augmentation and adopts its noise; it must keep the shape of inputs.

    Args:
        layer: What `augmentation` returned.
        network: Keras model that reads the inputs.
        input_shape: Shape of a batch of inputs, or a structure of them.
    """
    if layer is None:
        return
    with tf.init_scope():
        rows = input_form.blank_rows(network, input_shape)
        found = layer(rows, training=True)
    # Once it is built: a `Sequential` has other layers before.
    random_layers.adopt(layer)
    shapes = [[tuple(part.shape[1:]) for part in tf.nest.flatten(structure)]
              for structure in (rows, found)]
    if shapes[0] != shapes[1]:
        raise ValueError(
            "Expected an augmentation that keeps the shape of inputs, "
            f"{shapes[0]}. Received: augmentation with outputs {shapes[1]}")
