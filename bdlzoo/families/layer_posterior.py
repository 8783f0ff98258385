"""Gaussian posterior of the weights of one layer around their trained values.

    precision = num_data * H + prior precision * I,    H the mean curvature of the rows

The weights are a matrix `[I, O]`: the kernel, and the bias as its last row. The mean
curvature is gathered batch by batch; `settle` makes what draws and variances need.
"""

import keras
import tensorflow as tf

LARGEST = 8192  # Side of a dense matrix that is decomposed: 512 MB in float64.


class LayerPosterior(keras.layers.Layer):
    """Base class of posteriors, one for each structure of the covariance.

    Args:
        shape: Pair of integers, inputs (with the bias) and outputs of the layer.
        coupled: Bool, whether the outputs of a row bend the loss together.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.
    """

    def __init__(self, shape, coupled=True, **kwargs):
        super().__init__(trainable=False, **kwargs)
        self.shape = tuple(shape)
        self.coupled = coupled
        self.means = {}  # Weights that are means over rows, by name.

    # What a structure has.

    def sums_of_rows(self, features, d, s, weights):
        """Sums over rows, of a layer that is the last one: a dictionary.

        Args:
            features: Inputs of the layer with a last column of ones, `[B, I]`.
            d: Diagonals of the curvature in the outputs, `[B, O]`.
            s: Vectors of the outer product that is taken off, `[B, O]`.
            weights: Weights of the rows, `[B]`.
        """
        raise NotImplementedError

    def sums_of_slopes(self, inputs, slopes, weights):
        """The same for any layer, from roots of the curvature in the outputs.

        Args:
            inputs: Inputs of the layer at its positions, `[B, T, I]`.
            slopes: Products of the roots and the Jacobian of the network's outputs in
                the outputs of the layer, `[K, B, T, O]`.
            weights: Weights of the rows, `[B]`.
        """
        raise NotImplementedError

    def spectrum(self):
        """Eigenvalues of the mean curvature, in float64."""
        raise NotImplementedError

    def settle(self, num_data, precision):
        """Makes what draws need, for a number of rows and a prior precision."""
        raise NotImplementedError

    def drawing(self):
        """Function of a key that draws the deviation of the weights, `[I, O]`.

        All weights are read here. Inside of a loop over draws they would keep the
        loop in a graph that needs no draws.
        """
        raise NotImplementedError

    def moments(self, features):
        """Variances of the outputs of the last layer, and covariances with their sum.

        Args:
            features: Inputs of the layer with a last column of ones, `[B, I]`.

        Returns:
            Pair of tensors `[B, O]`.
        """
        raise NotImplementedError

    def spread(self, jacobian):
        """Products of Jacobians and a root of the covariance, `[..., I, O]`.

        Args:
            jacobian: Tensor `[..., I, O]`. The sum of squares of the result is the
                variance of the product of Jacobian and weights.
        """
        raise NotImplementedError

    def scale(self, factor):
        """Multiplies the mean curvature by a number."""
        for mean in self.means.values():
            mean.assign(factor * mean)

    # What all have.

    def state(self, name, shape):
        return self.add_weight(
            name=name, shape=shape, initializer="zeros", trainable=False,
            autocast=False, dtype="float32", aggregation="only_first_replica")

    def gathered(self, name, shape):
        """Makes a weight that is a mean over rows."""
        self.means[name] = weight = self.state(name, shape)
        return weight

    def add(self, sums, count, total):
        """Adds a batch to the means.

        Args:
            sums: Dictionary of tensors, sums over the rows of the batch.
            count: Scalar, rows of the batch.
            total: Scalar, rows up to now, with those of the batch.
        """
        for name, mean in self.means.items():
            mean.assign_add((sums[name] - count * mean) / total)

    def clear(self):
        """Forgets all rows."""
        for mean in self.means.values():
            mean.assign(tf.zeros(mean.shape))
