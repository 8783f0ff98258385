"""Regression by the Gaussian process that a wide network is.

    mean(x) = k(x, X) (K + s2 I)^-1 y
    var(x)  = k(x, x) - k(x, X) (K + s2 I)^-1 k(X, x)

with the kernel of an architecture: of a perceptron with ReLU in closed form,

    K_0     = W_var x x' / d + b_var
    K_{l+1} = W_var sqrt(K_l(x, x) K_l(x', x')) (sin t + (pi - t) cos t) / (2 pi)
              + b_var,    cos t = K_l(x, x') / sqrt(K_l(x, x) K_l(x', x'))

of any other one by Monte Carlo, `bdlzoo.families.prior_kernel.NetworkKernel`. Exact,
for up to some thousand rows: the reference of `DEGP`.

Reference: Cho and Saul, Kernel Methods for Deep Learning, NeurIPS 2009; Lee et
al., Deep Neural Networks as Gaussian Processes, ICLR 2018.
"""

import math

import numpy as np
import tensorflow as tf
from tensorflow_probability import distributions as tfd
from tensorflow_probability import math as tfm

from bdlzoo.core import low_rank_normal


class ReLUKernel(tfm.psd_kernels.PositiveSemidefiniteKernel):
    """Kernel of a perceptron with ReLU and hidden layers without end in width.

    Args:
        weight_variance: List of floats, W_var of each dense layer, the output
            layer's last: two of them are one hidden layer.
        bias_variance: List of as many floats, b_var.
    """

    def __init__(self, weight_variance, bias_variance, name="relu_kernel"):
        parameters = dict(locals())
        if len(weight_variance) != len(bias_variance) or not weight_variance:
            raise ValueError(
                "Expected a variance of weights and one of biases for each layer. "
                f"Received: weight_variance={weight_variance}, "
                f"bias_variance={bias_variance}")
        super().__init__(feature_ndims=1, dtype=None, name=name,
                         parameters=parameters)
        self._variances = list(zip(weight_variance, bias_variance))

    def _batch_shape(self):
        return tf.TensorShape([])

    def _batch_shape_tensor(self):
        return tf.constant([], tf.int32)

    def _apply(self, x1, x2, example_ndims=0):
        return self._layers(tf.reduce_sum(x1 * x2, axis=-1),
                            tf.reduce_sum(x1**2, axis=-1),
                            tf.reduce_sum(x2**2, axis=-1), x1.shape[-1])

    def _matrix(self, x1, x2):
        return self._layers(tf.matmul(x1, x2, transpose_b=True),
                            tf.reduce_sum(x1**2, axis=-1)[..., :, None],
                            tf.reduce_sum(x2**2, axis=-1)[..., None, :],
                            x1.shape[-1])

    def _layers(self, both, first, second, width):
        """Takes products of inputs, and their squares, through the layers."""
        (weight, bias), *others = self._variances
        both, first, second = (weight * part / width + bias
                               for part in (both, first, second))
        for weight, bias in others:
            length = tf.sqrt(first * second)
            # Rounding may push a cosine out of its range.
            cosine = tf.clip_by_value(both / length, -1.0, 1.0)
            angle = tf.acos(cosine)
            bent = tf.sin(angle) + (math.pi - angle) * cosine
            both = weight * length * bent / (2 * math.pi) + bias
            # Half of the units are on.
            first, second = weight * first / 2 + bias, weight * second / 2 + bias
        return both


def posterior(kernel, train_x, train_y, x, noise_scale=0.1, jitter=1e-8):
    """Mean and standard deviation of the function at `x`, without noise.

    Args:
        kernel: Kernel of TFP.
        train_x: Array `[N, D]`.
        train_y: Array `[N]`, or `[N, 1]`.
        x: Array `[n, D]`.
        noise_scale: Float, standard deviation of the noise of the targets.
        jitter: Float, on the diagonal of the kernel of the training rows.

    Returns:
        Two arrays `[n]`.
    """
    train_x, x = (np.asarray(part, "float64") for part in (train_x, x))
    rows = kernel.matrix(train_x, train_x).numpy()
    diagonal = (noise_scale**2 + jitter) * np.eye(len(rows))
    low_rank_normal.cholesky(rows + diagonal)  # Says so where it is none.
    process = tfd.GaussianProcessRegressionModel(
        kernel, x, train_x, np.ravel(train_y).astype("float64"),
        observation_noise_variance=np.float64(noise_scale**2),
        predictive_noise_variance=np.float64(0.0), jitter=jitter)
    return process.mean().numpy(), process.stddev().numpy()
