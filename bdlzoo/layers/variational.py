"""Base class of variational layers, which have a posterior over their weights.

    w = mean + scale * eps,    eps ~ N(0, 1)

A variational layer is a layer of Keras whose kernel is the mean of a posterior. Two
classes are mixed into it: a technique, which says how noise enters a batch, and a
map, which says how a kernel is applied to inputs:

    class DenseFlipout(Flipout, DenseMap): ...

Outside of a draw scope a layer uses its mean. In a coherent scope it draws one
kernel for the batch. Otherwise the technique decides.
"""

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from bdlzoo.core import held, noise, registry
from bdlzoo.layers.normal_prior import NormalPrior
from bdlzoo.layers.prior import check_scale

KERNEL, INPUT_SIGNS, OUTPUT_SIGNS, BIAS, PRIOR = range(5)  # Each has its own noise.
# From the weight that is trained to the standard deviation, and back.
_TRANSFORMS = {"exp": (tf.exp, np.log),
               "softplus": (tf.math.softplus, lambda s: np.log(np.expm1(s)))}


class Variational:
    """Draws the kernel of the Keras layer that it is mixed into.

    Args:
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, whether the bias has a posterior too. Otherwise it is a
            plain weight without a prior.
        **kwargs: Arguments of the layer of Keras.
    """

    stochastic = True
    independent_rows = False  # Whether each row has an exact draw of its own.

    def __init__(self, prior_scale, prior, init_scale, scale_transform,
                 variational_bias, **kwargs):
        super().__init__(**kwargs)
        check_scale("prior_scale", prior_scale)
        check_scale("init_scale", init_scale)
        if scale_transform not in _TRANSFORMS:
            raise ValueError(f"Expected one of {list(_TRANSFORMS)}. Received: "
                             f"scale_transform={scale_transform!r}")
        self.prior_scale = prior_scale
        self.prior = NormalPrior(prior_scale) if prior is None else (
            registry.build(prior))
        self.init_scale = init_scale
        self.scale_transform = scale_transform
        self.variational_bias = variational_bias and getattr(
            self, "use_bias", False)
        if self.variational_bias:  # A prior may store a mean of the bias' shape.
            self.bias_prior = type(self.prior).from_config(
                {**self.prior.get_config(), "name": "bias_prior"})

    def build(self, input_shape):
        super().build(input_shape)
        self.kernel_rho = self._add_rho("kernel_rho", self.kernel, self.prior)
        if self.variational_bias:
            self.bias_rho = self._add_rho("bias_rho", self.bias, self.bias_prior)

    def _add_rho(self, name, mean, prior):
        if not prior.built:
            prior.build(mean.shape)
            prior.built = True
        _, inverse = _TRANSFORMS[self.scale_transform]
        # Without autocast, the posterior stays float32 in mixed precision.
        return self.add_weight(
            name=name, shape=mean.shape, autocast=False,
            initializer=keras.initializers.Constant(float(inverse(self.init_scale))))

    # The posterior.

    def kernel_scale(self):
        """Standard deviations of the kernel."""
        return self._scale(self.kernel_rho)

    def set_kernel_scale(self, scale):
        """Sets the standard deviations of the kernel, a number or an array."""
        _, inverse = _TRANSFORMS[self.scale_transform]
        self.kernel_rho.assign(np.broadcast_to(
            inverse(scale), self.kernel.shape).astype("float32"))

    def kl(self):
        """KL divergence from the prior in nats, without a weight."""
        draw = noise.current()
        key = noise.key(0, PRIOR) if draw is None else draw.key_of(self, PRIOR)
        terms = [self._divergence(self.prior, self.kernel, self.kernel_rho, key)]
        if self.variational_bias:
            terms.append(self._divergence(self.bias_prior, self.bias,
                                          self.bias_rho, noise.fold_in(key, 1)))
        return tf.add_n(terms)

    def _scale(self, rho):
        forward, _ = _TRANSFORMS[self.scale_transform]
        return forward(tf.convert_to_tensor(rho))

    def _divergence(self, prior, mean, rho, key):
        scale = self._scale(rho)
        exact = self.scale_transform == "exp"
        log_scale = tf.convert_to_tensor(rho) if exact else tf.math.log(scale)
        return prior.divergence(tf.convert_to_tensor(mean), scale, log_scale, key)

    # The forward pass.

    def call(self, inputs):
        draw = noise.current()
        if draw is None:
            outputs = self.linear(inputs, self.mean_kernel())
        elif draw.coherent:
            outputs = self.linear(inputs, self.draw_kernels(draw))
        else:
            outputs = self.noisy(inputs, draw)
        if getattr(self, "bias", None) is not None:
            outputs += self._drawn_bias(outputs, draw)
        activation = getattr(self, "activation", None)
        return outputs if activation is None else activation(outputs)

    def noisy(self, inputs, draw):
        """Outputs with the noise of the technique, which defines this method."""
        raise NotImplementedError

    def mean_kernel(self):
        return ops.cast(self.kernel, self.compute_dtype)

    def perturbations(self, draw, count=1):
        """Draws of the kernel minus its mean, stacked if there are several."""
        return held.once((id(self), "perturbations"),
                         lambda: self._perturb(draw, count))

    def _perturb(self, draw, count):
        stack = () if isinstance(count, int) and count == 1 else (count,)
        normal = noise.normal if draw.coherent else noise.coarse_normal
        eps = normal((*stack, *self.kernel.shape), draw.key_of(self, KERNEL))
        # Coherent draws are exported, and an export needs TensorFlow's own gradients.
        plain = draw.coherent or self.scale_transform != "exp"
        noisy = self.kernel_scale() * eps if plain else _times_exp(eps, self.kernel_rho)
        return ops.cast(noisy, self.compute_dtype)

    def draw_kernels(self, draw, count=1):
        """Draws of the kernel, stacked if there are several."""
        return held.once((id(self), "kernels"), lambda: (
            self.mean_kernel() + self.perturbations(draw, count)))

    def stacked(self, inputs, kernels):
        """Outputs of one kernel, or of several, each for its part of the batch.

        A map defines `linear(inputs, kernel)` and `linear_each(inputs, kernels)`.
        """
        one = len(kernels.shape) == len(self.kernel.shape)
        return (self.linear if one else self.linear_each)(inputs, kernels)

    def spread(self, channels, rank):
        """Reshapes `[rows, C]` so that it broadcasts over positions, to `rank` axes."""
        first = getattr(self, "data_format", None) == "channels_first"
        rows, *sizes = ops.shape(channels)
        positions = (1,) * (rank - 1 - len(sizes))
        return ops.reshape(channels, (rows, *sizes, *positions) if first
                           else (rows, *positions, *sizes))

    def bias_rows(self, rows, draw):
        """Number of draws of the bias in a batch: one for each row."""
        return 1 if draw.coherent else rows

    def _drawn_bias(self, outputs, draw):
        bias = ops.cast(self.bias, self.compute_dtype)[None]  # [1, C]
        if self.variational_bias and draw is not None:
            rows = ops.shape(outputs)[0]
            count = self.bias_rows(rows, draw)
            eps = held.once((id(self), "bias"), lambda: noise.normal(
                (count, *self.bias.shape), draw.key_of(self, BIAS)))
            noisy = ops.cast(self._scale(self.bias_rho) * eps, self.compute_dtype)
            bias += noisy
            if isinstance(count, int) and count > 1:  # Draws follow one another.
                bias = ops.repeat(bias, rows // count, axis=0)
        return self.spread(bias, len(outputs.shape))

    # Keras.

    def save_own_variables(self, store):
        # Layers of Keras would only store their kernel and their bias.
        keras.layers.Layer.save_own_variables(self, store)

    def load_own_variables(self, store):
        keras.layers.Layer.load_own_variables(self, store)

    def get_config(self):
        return {**super().get_config(),
                "prior_scale": self.prior_scale,
                "prior": keras.saving.serialize_keras_object(self.prior),
                "init_scale": self.init_scale,
                "scale_transform": self.scale_transform,
                "variational_bias": self.variational_bias}

    @classmethod
    def from_config(cls, config):
        prior = keras.saving.deserialize_keras_object(config["prior"])
        return super().from_config({**config, "prior": prior})


def _times_exp(eps, rho):
    """Noise times `exp(rho)`, with a gradient of its own, so that XLA draws it once."""

    @tf.custom_gradient
    def product(rho):
        noisy = eps * tf.exp(rho)

        def slopes(upstream):
            stacked = list(range(len(noisy.shape) - len(rho.shape)))
            return tf.reduce_sum(upstream * noisy, axis=stacked)

        return noisy, slopes

    return product(tf.convert_to_tensor(rho))
