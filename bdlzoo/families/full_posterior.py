"""Posterior of the weights of the last layer with the whole curvature.

    H = mean over rows of (x x^T) (x) (diag(d) - s s^T)

`x` are the inputs of the layer. With I inputs and O outputs the matrix is [I O, I O].
Without coupling of the outputs it has O blocks [I, I].
"""

import numpy as np
import tensorflow as tf
from scipy import linalg

from bdlzoo.core import noise
from bdlzoo.families.layer_posterior import LARGEST, LayerPosterior


class FullPosterior(LayerPosterior):
    """Keeps a root of the covariance of all weights of the layer."""

    def build(self, input_shape=None):
        inputs, outputs = self.shape
        size = inputs * outputs if self.coupled else inputs
        if size > LARGEST:
            raise ValueError(
                f"Expected at most {LARGEST} weights for structure=\"full\": take "
                "structure=\"kronecker\" or \"diagonal\". Received: a last layer of "
                f"{inputs} inputs (with the bias) and {outputs} outputs")
        self.gathered("blocks", (outputs, inputs, inputs))
        if self.coupled:
            self.gathered("outer", (size, size))
        number = 1 if self.coupled else outputs
        self.values = self.state("values", (number, size))
        self.root = self.state("root", (number, size, size))
        # Covariances of the weights of an output, and of them and those of all.
        self.own = self.state("own", (outputs, inputs, inputs))
        self.with_all = self.state("with_all", (outputs, inputs, inputs))
        self.built = True

    def sums_of_rows(self, features, d, s, weights):
        bent = features[None] * tf.transpose(d * weights[:, None])[..., None]
        sums = {"blocks": tf.matmul(bent, features, transpose_a=True)}  # [O, I, I]
        if self.coupled:
            rooted = tf.sqrt(weights)[:, None] * s
            products = tf.reshape(features[:, :, None] * rooted[:, None],
                                  [-1, self.values.shape[1]])
            sums["outer"] = tf.matmul(products, products, transpose_a=True)
        return sums

    def decompose(self):
        """Finds the eigenvalues."""
        self.values.assign([np.maximum(linalg.eigvalsh(matrix), 0.0)
                            for matrix in self._matrices()])

    def spectrum(self):
        return self.values.numpy().astype("float64")

    def settle(self, num_data, precision):
        inputs, outputs = self.shape
        roots = [_inverse_root(num_data * matrix, precision)
                 for matrix in self._matrices()]
        self.root.assign(roots)
        if not self.coupled:
            own = [root @ root.T for root in roots]
            self.own.assign(own)
            self.with_all.assign(own)
            return
        covariance = (roots[0] @ roots[0].T).reshape(inputs, outputs, inputs, outputs)
        self.own.assign(np.einsum("iojo->oij", covariance))
        # The mean with its transpose: only quadratic forms of it are read.
        summed = np.einsum("iojp->oij", covariance)
        self.with_all.assign((summed + summed.transpose(0, 2, 1)) / 2.0)

    def drawing(self):
        root = tf.convert_to_tensor(self.root)

        def draw(key):
            normals = noise.normal(self.shape, key)
            if not self.coupled:
                return tf.einsum("oij,jo->io", root, normals)
            return tf.reshape(tf.linalg.matvec(
                root[0], tf.reshape(normals, [-1])), self.shape)

        return draw

    def moments(self, features):
        return tuple(tf.transpose(tf.reduce_sum(
            tf.matmul(features, matrices) * features, axis=-1))
            for matrices in (self.own, self.with_all))

    def _matrices(self):
        """The mean curvature: one matrix, or one of each output, in float64."""
        blocks = self.means["blocks"].numpy().astype("float64")
        if not self.coupled:
            return [(block + block.T) / 2.0 for block in blocks]
        inputs, outputs = self.shape
        matrix = -self.means["outer"].numpy().astype("float64")
        each = matrix.reshape(inputs, outputs, inputs, outputs)
        for output, block in enumerate(blocks):
            each[:, output, :, output] += block
        return [(matrix + matrix.T) / 2.0]


def _inverse_root(matrix, precision):
    """The upper triangular R with R R^T = (matrix + precision I)^-1."""
    matrix[np.diag_indices(len(matrix))] += precision
    lower = linalg.cholesky(matrix, lower=True)
    return linalg.solve_triangular(lower, np.eye(len(matrix)), lower=True).T
