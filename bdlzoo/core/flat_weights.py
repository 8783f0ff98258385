"""Weights of a network as one vector, and networks from such vectors.

    vector = the weights in the order of `network.weights`, each one flattened

The vector contains the statistics of batch normalisation, which belong to the weights
that they were collected with. It does not contain states of random generators.
"""

import math

import numpy as np
import tensorflow as tf

from bdlzoo.core import written_out

AT_ONCE = 8  # Networks in one batched computation; more only need more memory.


class FlatWeights:
    """Converts weights to vectors, and runs the network of a vector.

    Args:
        network: Built Keras model; its own weights are not used.
    """

    def __init__(self, network):
        self._network = network
        self.shapes = [tuple(weight.shape) for weight in network.weights]
        self.sizes = [math.prod(shape) for shape in self.shapes]
        self.size = sum(self.sizes)

    def flatten(self, parts):
        """Makes vectors from weights.

        Args:
            parts: List of weights with the same leading axes, in the order of
                `network.weights`.

        Returns:
            Tensor `[..., D]`.
        """
        return tf.concat([
            tf.reshape(tf.cast(part, tf.float32), [
                *part.shape[:len(part.shape) - len(shape)], size])
            for part, shape, size in zip(parts, self.shapes, self.sizes,
                                         strict=True)], axis=-1)

    def unflatten(self, vectors):
        """Makes a list of weights from vectors, the inverse of `flatten`."""
        leading = tf.shape(vectors)[:-1]
        return [tf.reshape(part, tf.concat([leading, shape], axis=0))
                for part, shape in zip(tf.split(vectors, self.sizes, axis=-1),
                                       map(_dims, self.shapes), strict=True)]

    def call(self, vector, inputs):
        """Outputs `[B, ...]` of the network with the weights of one vector."""
        parts = dict(zip(map(id, self._network.weights), self.unflatten(vector)))
        values = [[parts.get(id(v), v.value) for v in each] for each in (
            self._network.trainable_variables,
            self._network.non_trainable_variables)]
        # Said, since layers such as `RandomFlip` train if nothing is said.
        outputs, _ = self._network.stateless_call(*values, inputs, training=False)
        return tf.cast(outputs, tf.float32)

    def outputs(self, vectors, count, inputs):
        """Outputs of many networks, computed in groups.

        Args:
            vectors: Function from places, integers `[G]` from 0 to `count - 1`, to
                vectors `[G, D]`.
            count: Integer or scalar tensor, number of networks.
            inputs: Inputs `[B, ...]`, the same for all networks.

        Returns:
            Tensor `[count, B, ...]`.
        """
        known = isinstance(count, int)
        # A group of unknown size could hold one network, for which TensorFlow batches
        # convolutions wrongly.
        group = min(count, AT_ONCE) if known else AT_ONCE
        groups = -(-count // group)

        def run(places):
            return tf.vectorized_map(lambda v: self.call(v, inputs),
                                     vectors(tf.minimum(places, count - 1)))

        if known and groups == 1:
            return run(tf.range(count))
        places = tf.reshape(tf.range(groups * group), [groups, group])
        outputs = written_out.map_draws(run, places, fn_output_signature=tf.float32,
                                        parallel_iterations=1)
        shape = tf.concat([[-1], tf.shape(outputs)[2:]], axis=0)
        every = tf.reshape(outputs, shape)[:count]
        return tf.ensure_shape(every, [count if known else None,
                                       *outputs.shape[2:]])


def _dims(shape):
    return np.array(shape, "int32")  # An empty list would become a tensor of floats.
