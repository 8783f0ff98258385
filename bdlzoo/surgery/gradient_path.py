"""Search for the layer that stops the gradient from reaching the inputs."""

import numpy as np
import tensorflow as tf

from bdlzoo.core import keras_internals
from bdlzoo.surgery import calls


def spread(outputs):
    """A weighted sum of outputs `[B, C]` in which no class cancels another.

    A plain sum of log probabilities has no gradient, and a single class has none if
    the softmax is saturated.
    """
    return tf.reduce_sum(outputs * tf.linspace(-1.0, 2.0, outputs.shape[-1]))


def blocking_layer(network, inputs):
    """The layer with a gradient at its outputs and none at its inputs.

    Args:
        network: Built Keras classifier.
        inputs: Rows `[B, ...]` for the test.

    Returns:
        Layer, or operation of Keras; `None` if every layer passes a gradient on, and
        for a subclassed network, whose layers are hidden.
    """
    functional = keras_internals.graph(network)
    if functional is None:
        return None
    sources, network_calls, results = calls.walk(functional, unfold=True)
    values = dict(zip(sources, keras_internals.standardize(functional, inputs)))
    with tf.GradientTape() as tape:
        tape.watch(list(values.values()))
        for call in network_calls:
            call.run(values, training=False)
        total = spread(tf.cast(values[results[0]], tf.float32))
    gradients = tape.gradient(total, values)
    alive = {key for key, gradient in gradients.items()
             if gradient is not None and np.any(gradient)}
    for call in reversed(network_calls):
        if alive.intersection(call.outputs) and not alive.intersection(
                call.inputs.values()):
            return call.layer
    return None
