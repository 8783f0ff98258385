"""Posterior of the weights of a layer whose curvature is a Kronecker product.

    H = A (x) B,     A = mean of a a^T over rows and positions,
                     B = mean over rows of the sum of g g^T over positions

`a` are the inputs of the layer and `g` the slopes of the loss in its outputs. H is
exact if A or B is the same for all rows, as for one layer with Gaussian noise. The
prior precision is added to the products of eigenvalues, so that it is exact. The root
of the covariance maps

    w -> U [(num_data l_A l_B^T + precision)^-1/2 * (U^T w V)] V^T

A draw does not depend on the choice of the eigenvectors U and V, since this root is
symmetric.

Reference: Martens and Grosse, Optimizing Neural Networks with Kronecker-factored
Approximate Curvature, ICML 2015; Ritter, Botev and Barber, A Scalable Laplace
Approximation for Neural Networks, ICLR 2018.
"""

import numpy as np
import tensorflow as tf
from scipy import linalg

from bdlzoo.core import noise
from bdlzoo.families.layer_posterior import LARGEST, LayerPosterior


class KroneckerPosterior(LayerPosterior):
    """Keeps a factor for the inputs, and one for the outputs."""

    def build(self, input_shape=None):
        if max(self.shape) > LARGEST:
            raise ValueError(
                f"Expected at most {LARGEST} inputs and outputs of a layer for "
                "Kronecker factors: take structure=\"diagonal\". Received: a layer of "
                f"{self.shape[0]} inputs and {self.shape[1]} outputs")
        inputs, outputs = self.shape
        self.gathered("of_inputs", (inputs, inputs))
        self.gathered("of_outputs", (outputs, outputs))
        self.gathered("weight", ())
        self.input_basis = self.state("input_basis", (inputs, inputs))
        self.output_basis = self.state("output_basis", (outputs, outputs))
        self.input_values = self.state("input_values", (inputs,))
        self.output_values = self.state("output_values", (outputs,))
        self.scales = self.state("scales", self.shape)
        self.built = True

    def sums_of_rows(self, features, d, s, weights):
        column = weights[:, None]
        outer = tf.matmul(s * column, s, transpose_a=True)
        return {"of_inputs": tf.matmul(features * column, features, transpose_a=True),
                "of_outputs": tf.linalg.diag(tf.reduce_sum(d * column, axis=0)) - outer,
                "weight": tf.reduce_sum(weights)}

    def sums_of_slopes(self, inputs, slopes, weights):
        flat = tf.reshape(inputs * weights[:, None, None], [-1, self.shape[0]])
        plain = tf.reshape(inputs, [-1, self.shape[0]])
        slopes = tf.reshape(tf.sqrt(weights)[:, None, None] * slopes,
                            [-1, self.shape[1]])
        positions = tf.cast(tf.shape(inputs)[1], tf.float32)
        return {"of_inputs": tf.matmul(flat, plain, transpose_a=True) / positions,
                "of_outputs": tf.matmul(slopes, slopes, transpose_a=True),
                "weight": tf.reduce_sum(weights)}

    def scale(self, factor):
        self.means["of_outputs"].assign(factor * self.means["of_outputs"])

    def decompose(self):
        """Finds the eigenvectors and eigenvalues of the factors."""
        share = max(float(self.means["weight"].numpy()), np.finfo("float32").tiny)
        for side, factor in (("input", 1.0), ("output", 1.0 / share)):
            matrix = self.means[f"of_{side}s"].numpy().astype("float64") * factor
            values, basis = linalg.eigh((matrix + matrix.T) / 2.0)
            getattr(self, f"{side}_basis").assign(basis)
            getattr(self, f"{side}_values").assign(np.maximum(values, 0.0))

    def spectrum(self):
        return np.outer(self.input_values.numpy().astype("float64"),
                        self.output_values.numpy())

    def settle(self, num_data, precision):
        self.scales.assign((num_data * self.spectrum() + precision)**-0.5)

    def drawing(self):
        scales, first, second = map(tf.convert_to_tensor, (
            self.scales, self.input_basis, self.output_basis))

        def draw(key):
            normals = tf.matmul(first, noise.normal(self.shape, key), transpose_a=True)
            scaled = scales * tf.matmul(normals, second)
            return tf.matmul(first, tf.matmul(scaled, second, transpose_b=True))

        return draw

    def spread(self, jacobian):
        rotated = tf.einsum("ij,...io->...jo", tf.convert_to_tensor(self.input_basis),
                            jacobian)
        return self.scales * tf.einsum("...jo,op->...jp", rotated,
                                       tf.convert_to_tensor(self.output_basis))

    def moments(self, features):
        rotated = tf.matmul(features, self.input_basis)**2
        each = tf.matmul(rotated, self.scales**2)  # [B, O], by eigenvector.
        basis = tf.convert_to_tensor(self.output_basis)
        of_sum = each * tf.reduce_sum(basis, axis=0)
        return (tf.matmul(each, basis**2, transpose_b=True),
                tf.matmul(of_sum, basis, transpose_b=True))
