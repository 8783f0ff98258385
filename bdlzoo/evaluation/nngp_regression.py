"""Regression by the Gaussian process of a network with infinitely wide layers.

    mean(x) = k(x, X) (K + s2 I)^-1 y
    var(x)  = k(x, x) - k(x, X) (K + s2 I)^-1 k(X, x)

The kernel is that of an architecture. A perceptron with ReLU has a closed form,

    K_0     = W_var x x' / d + b_var
    K_{l+1} = W_var sqrt(K_l(x, x) K_l(x', x')) (sin t + (pi - t) cos t) / (2 pi)
              + b_var,    cos t = K_l(x, x') / sqrt(K_l(x, x) K_l(x', x'))

For other networks `bdlzoo.families.prior_kernel.NetworkKernel` estimates the kernel by
Monte Carlo. The regression is exact and takes up to a few thousand rows. It is the
reference for `DEGP`.

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
    """Kernel of a perceptron with ReLU and infinitely wide hidden layers.

    Args:
        weight_variance: List of floats, W_var of each dense layer; the last one is
            that of the output layer, so two values mean one hidden layer.
        bias_variance: List of floats, b_var of each dense layer.
        name: String, name of the kernel.

    Example:

        kernel = bdlzoo.evaluation.ReLUKernel([2.0, 2.0], [0.1, 0.1])
        mean, std = bdlzoo.evaluation.nngp_regression.posterior(
            kernel, np.float32([[0], [1]]), np.float32([0, 1]), np.float32([[0.5]]))
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
        """Kernel after all layers, from products of inputs and their squares."""
        (weight, bias), *others = self._variances
        both, first, second = (weight * part / width + bias
                               for part in (both, first, second))
        for weight, bias in others:
            length = tf.sqrt(first * second)
            # By rounding, a cosine may lie outside of [-1, 1].
            cosine = tf.clip_by_value(both / length, -1.0, 1.0)
            angle = tf.acos(cosine)
            bent = tf.sin(angle) + (math.pi - angle) * cosine
            both = weight * length * bent / (2 * math.pi) + bias
            # Half of the units are on.
            first, second = weight * first / 2 + bias, weight * second / 2 + bias
        return both


def posterior(kernel, train_x, train_y, x, noise_scale=0.1, jitter=1e-8):
    """Posterior mean and standard deviation of the function, without noise.

    Args:
        kernel: Kernel of TensorFlow Probability, such as `ReLUKernel`.
        train_x: Array `[N, D]`, training inputs.
        train_y: Array `[N]` or `[N, 1]`, training targets.
        x: Array `[n, D]`, inputs of the prediction.
        noise_scale: Float, standard deviation of the noise of the targets.
        jitter: Float, added to the diagonal of the kernel of the training rows.

    Returns:
        Two arrays `[n]`, the mean and the standard deviation.
    """
    train_x, x = (np.asarray(part, "float64") for part in (train_x, x))
    rows = kernel.matrix(train_x, train_x).numpy()
    diagonal = (noise_scale**2 + jitter) * np.eye(len(rows))
    low_rank_normal.cholesky(rows + diagonal)  # Raises if it has none.
    process = tfd.GaussianProcessRegressionModel(
        kernel, x, train_x, np.ravel(train_y).astype("float64"),
        observation_noise_variance=np.float64(noise_scale**2),
        predictive_noise_variance=np.float64(0.0), jitter=jitter)
    return process.mean().numpy(), process.stddev().numpy()
