"""Some weights of a network as one vector, and the network as a function of it.

    outputs = finish(vector, begin(inputs))

`begin` runs all that depends neither on these weights nor on noise, so that it can be
run once for each row. `finish` can be differentiated in the vector, as often as its
layers can. The weights of the network itself do not change until `assign` is called.
"""

import math

import keras
import tensorflow as tf

from bdlzoo.core import keras_internals
from bdlzoo.surgery import calls
from bdlzoo.surgery.trunk import Trunk

_KINKED = ("relu", "relu6", "leaky_relu", "hard_sigmoid", "hard_tanh", "hard_silu",
           "threshold", "hard_shrink", "soft_shrink")
_KINKED_LAYERS = ("ReLU", "LeakyReLU", "PReLU", "MaxPooling1D", "MaxPooling2D",
                  "MaxPooling3D", "GlobalMaxPooling1D", "GlobalMaxPooling2D",
                  "GlobalMaxPooling3D")


class HeadWeights:
    """Runs a network with a vector in the place of the weights of some layers.

    Not a layer, so that Keras neither tracks nor saves the layers twice.

    Args:
        network: Built Keras model, adopted by the zoo.
        layers: `"last"` for the last layer with weights, `"all"`, or an integer for
            the last so many.
    """

    def __init__(self, network, layers="last"):
        self.network = network
        chosen = _chosen(network, layers)
        self.variables = list({id(v): v for layer in chosen
                               for v in layer.trainable_variables}.values())
        self.shapes = [tuple(v.shape) for v in self.variables]
        self.sizes = [math.prod(shape) for shape in self.shapes]
        self.size = sum(self.sizes)
        self._trunk = Trunk(network, live=chosen)
        functional = self._trunk.functional
        self._after = () if functional is None else self._trunk.after

    @property
    def vector(self):
        """The weights as they are now, `[P]`."""
        return tf.concat([tf.reshape(tf.cast(v.value, tf.float32), [-1])
                          for v in self.variables], axis=0)

    def assign(self, vector):
        """Writes a vector into the weights of the network."""
        for variable, part in zip(self.variables, self._parts(vector)):
            variable.assign(part)

    def begin(self, inputs, training=False):
        """The part below these weights: a structure of tensors, batch first."""
        return self._trunk.begin(inputs, training)

    def finish(self, vector, hidden):
        """Outputs of the network, inside the draw scope of the caller."""
        with self.scope(vector):
            return self._trunk.finish(hidden)

    def scope(self, vector):
        """A scope in which the network has the weights of a vector."""
        mapping = list(zip(self.variables, self._parts(vector)))
        chosen = {id(v) for v in self.variables}
        # Keras asks the scope for every weight with a regulariser.
        mapping += [(v, v.value) for v in self.network.trainable_variables
                    if id(v) not in chosen]
        return keras.StatelessScope(state_mapping=mapping)

    def features(self, hidden, training=False):
        """Inputs `[B, F]` of the dense layer that `dense` returned."""
        values = dict(hidden)
        for call in self._after[:-1]:
            call.run(values, training)
        [key] = self._after[-1].inputs.values()
        return values[key]

    @property
    def dense(self):
        """The layer, if the weights are those of one plain dense layer at the end."""
        if not self._after or self._after[-1].outputs != self._trunk.results:
            return None
        layer = self._after[-1].layer
        plain = (type(layer) is keras.layers.Dense and len(self._after[-1].inputs) == 1
                 and layer.activation is keras.activations.linear
                 and len(layer.kernel.shape) == 2)
        mine = [id(v) for v in self.variables] == [
            id(v) for v in layer.trainable_variables]
        return layer if plain and mine else None

    @property
    def kinks(self):
        """Names of layers from these weights on without a second derivative."""
        layers = ([call.layer for call in self._after] if self._after
                  else keras_internals.layers(self.network))
        return [layer.name for layer in layers if _has_kink(layer)]

    def _parts(self, vector):
        return [tf.cast(tf.reshape(part, shape), v.dtype) for part, shape, v in zip(
            tf.split(vector, self.sizes), self.shapes, self.variables)]


def _chosen(network, layers):
    if layers == "all":
        return [layer for layer in keras_internals.layers(network)
                if layer.trainable_variables]
    count = 1 if layers == "last" else layers
    functional = keras_internals.graph(network)
    if functional is None:  # In the order in which its attributes were set.
        every = [layer for layer in keras_internals.layers(network)
                 if any(v.trainable for v in keras_internals.own_variables(layer))]
    else:
        _, every, _ = calls.walk(functional, unfold=True)
        every = [call.layer for call in every]
    able = list({id(layer): layer for layer in every
                 if getattr(layer, "trainable_variables", None)}.values())
    whole = isinstance(count, int) and not isinstance(count, bool)
    if not whole or not 1 <= count <= len(able):
        raise ValueError(
            "Expected \"last\", \"all\", or a number of layers from 1 to "
            f"{len(able)}, as many as have weights that are trained. Received: "
            f"layers={layers!r}")
    return able[-count:]


def _has_kink(layer):
    activation = getattr(getattr(layer, "activation", None), "__name__", "")
    return activation in _KINKED or type(layer).__name__ in _KINKED_LAYERS
