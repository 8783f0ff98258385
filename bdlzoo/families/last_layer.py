"""The last dense layer of a network as the only one whose weights are uncertain.

    outputs = x W,      x the inputs of the layer with a last column of ones

All below the layer runs once for all draws. The outputs are linear in its weights, so
that a Gaussian of the weights is one of the outputs.
"""

import tensorflow as tf

from bdlzoo.surgery.head_weights import HeadWeights


class LastLayer:
    """Runs a network up to its last layer, and this layer with other weights.

    Not a layer, so that Keras neither tracks nor saves the layers twice.

    Args:
        network: Built Keras model, adopted by the zoo.
    """

    def __init__(self, network):
        self._head = HeadWeights(network, "last")
        self.dense = self._head.dense
        if self.dense is None:
            raise ValueError(
                "Expected a functional or Sequential network that ends in a "
                "`keras.layers.Dense` without activation: set the activation to "
                "`keras.activations.linear`, or add such a layer. Received: network "
                f"{network.name}, whose last weights are those of "
                f"{', '.join(v.path for v in self._head.variables)}")

    @property
    def shapes(self):
        """Shape of the weights of each uncertain layer: inputs and outputs."""
        width, outputs = self.dense.kernel.shape
        return [(width + int(self.dense.use_bias), outputs)]

    def matrices(self):
        """The trained weights, `[I, O]`, of each uncertain layer."""
        parts = [self.dense.kernel]
        if self.dense.use_bias:
            parts.append(self.dense.bias[None])
        return [tf.concat([tf.cast(part, tf.float32) for part in parts], axis=0)]

    def run(self, inputs, training=False):
        """Outputs `[B, O]`, then what the other functions need of these inputs."""
        hidden = self._head.begin(inputs, training)
        features = self._head.features(hidden, training)
        outputs = tf.cast(self.dense(features), tf.float32)
        features = tf.cast(features, tf.float32)
        if self.dense.use_bias:
            features = tf.pad(features, [[0, 0], [0, 1]], constant_values=1.0)
        return outputs, features

    def sums(self, posteriors, run, d, s, weights):
        """Sums over rows for the curvature of each layer, a list of dictionaries.

        Args:
            posteriors: List of `LayerPosterior`.
            run: Result of `run`.
            d: Diagonals of the curvature in the outputs, `[B, O]`.
            s: Vectors of the outer product that is taken off, `[B, O]`.
            weights: Weights of the rows, `[B]`.
        """
        [posterior] = posteriors
        return [posterior.sums_of_rows(run[1], d, s, weights)]

    def moving(self, run, inputs, linear=True):
        """Function of deviations `[I, O]`, a list, that returns outputs `[B, O]`.

        Args:
            run: Result of `run`.
            inputs: Inputs of the network.
            linear: Bool, whether the network is linearised; it is linear here.
        """
        del inputs, linear
        outputs, features = run
        return lambda deviations: outputs + tf.matmul(features, deviations[0])

    def moments(self, posteriors, run):
        """Variances of the outputs, and covariances with their sum: two of `[B, O]`.

        Args:
            posteriors: List of `LayerPosterior`.
            run: Result of `run`.
        """
        return posteriors[0].moments(run[1])
