"""Posterior of the weights of a layer with the diagonal of the curvature.

    H_io = mean over rows of the sum over k of (sum over positions of a_i g_ko)**2

`a` are the inputs of the layer, and `g_k` the slopes of its outputs for root k of the
curvature in the outputs of the network.
"""

import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families.layer_posterior import LayerPosterior


class DiagonalPosterior(LayerPosterior):
    """Keeps one number for each weight."""

    def build(self, input_shape=None):
        self.gathered("curvature", self.shape)
        self.scales = self.state("scales", self.shape)
        self.built = True

    def sums_of_rows(self, features, d, s, weights):
        bends = (d - s**2) * weights[:, None]
        return {"curvature": tf.matmul(features**2, bends, transpose_a=True)}

    def sums_of_slopes(self, inputs, slopes, weights):
        if inputs.shape[1] == 1:  # The square of a product is a product of squares.
            squares = tf.reduce_sum(slopes[:, :, 0]**2, axis=0) * weights[:, None]
            return {"curvature": tf.matmul(inputs[:, 0]**2, squares, transpose_a=True)}

        def add(total, slope):
            each = tf.einsum("bti,bto->bio", inputs, slope)
            return total + tf.einsum("b,bio->io", weights, each**2)

        return {"curvature": tf.foldl(add, slopes, tf.zeros(self.shape))}

    def decompose(self):
        """The curvature is diagonal already."""

    def spectrum(self):
        return np.maximum(self.means["curvature"].numpy().astype("float64"), 0.0)

    def settle(self, num_data, precision):
        self.scales.assign((num_data * self.spectrum() + precision)**-0.5)

    def drawing(self):
        scales = tf.convert_to_tensor(self.scales)
        return lambda key: scales * noise.normal(self.shape, key)

    def spread(self, jacobian):
        return self.scales * jacobian

    def moments(self, features):
        variance = tf.matmul(features**2, self.scales**2)
        return variance, variance  # No output depends on another one.
