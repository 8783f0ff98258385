"""`EinsumDense` with a posterior over its kernel, such as those of attention.

Axes of a kernel are summed over (inputs) or stay (outputs). Signs of Flipout are one
number for each place on these axes, and constant over all other axes of a row.
"""

import math

import keras
from keras import ops

from bdlzoo.core import noise
from bdlzoo.layers.flipout import Flipout
from bdlzoo.layers.reparameterization import Reparameterization
from bdlzoo.layers.variational import INPUT_SIGNS

_register = keras.saving.register_keras_serializable(package="bdlzoo")


class EinsumDenseMap(keras.layers.EinsumDense):
    """Applies kernels by an equation, such as `"abc,cde->abde"`."""

    @property
    def use_bias(self):
        return self.bias_axes is not None

    def build(self, input_shape):
        if "." in self.equation:
            raise ValueError("Expected an equation that names all axes. Received: "
                             f"equation={self.equation!r}")
        super().build(input_shape)
        terms, self._output_axes = self.equation.replace(" ", "").split("->")
        self._input_axes, self._kernel_axes = terms.split(",")
        self._size_of = dict(zip(self._kernel_axes, self.kernel.shape))
        self.input_channels = self._size(self._input_axes)
        self.output_channels = self._size(self._output_axes)
        self.one_position = False

    def linear(self, inputs, kernel):
        return ops.einsum(self.equation, inputs, kernel)

    def linear_each(self, inputs, kernels):
        shape = ops.shape(inputs)
        stacked = ops.reshape(inputs, (len(kernels), -1, *shape[1:]))
        draws = next(c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in self.equation)
        outputs = ops.einsum(
            f"{draws}{self._input_axes},{draws}{self._kernel_axes}"
            f"->{draws}{self._output_axes}", stacked, kernels)
        return ops.reshape(outputs, (shape[0], *ops.shape(outputs)[2:]))

    def _size(self, axes):
        """Number of signs: the product of the axes that the kernel has too."""
        return math.prod(self._size_of.get(axis, 1) for axis in axes)

    def _spread_over(self, axes, channels):
        """Reshapes `[rows, C]` so that it broadcasts over the other axes."""
        return ops.reshape(channels, (ops.shape(channels)[0], *(
            self._size_of.get(axis, 1) for axis in axes[1:])))


@_register
class EinsumDenseReparameterization(Reparameterization, EinsumDenseMap):
    """Runs `keras.layers.EinsumDense` with one weight draw for the batch.

    Args:
        equation: String, the equation, such as `"abc,cd->abd"`, without dots. The first
            axis of inputs and outputs is the batch.
        output_shape: Integer or tuple, shape of the outputs without the batch.
        activation: Name or callable, applied to the outputs; `None` is linear.
        bias_axes: String, axes of the outputs that a bias is added to; `None` for no
            bias.
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start. Keep it
            well below `1 / sqrt(fan_in)`, or the noise hides the signal.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, whether the bias has a posterior too. Otherwise it is a
            plain weight without a prior.
        **kwargs: Other arguments of `keras.layers.EinsumDense`, such as
            `kernel_initializer` and `name`.

    Example:

        EinsumDenseReparameterization("abc,cd->abd", (None, 10))
    """

    def __init__(self, equation, output_shape, activation=None, bias_axes=None, *,
                 prior_scale=1.0, prior=None, init_scale=0.01, scale_transform="exp",
                 variational_bias=False, **kwargs):
        super().__init__(equation=equation, output_shape=output_shape,
                         activation=activation, bias_axes=bias_axes,
                         prior_scale=prior_scale, prior=prior, init_scale=init_scale,
                         scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)


@_register
class EinsumDenseFlipout(Flipout, EinsumDenseMap):
    """Runs `keras.layers.EinsumDense` with one weight draw and signs for each row.

    Args:
        equation: String, the equation, such as `"abc,cd->abd"`, without dots. The first
            axis of inputs and outputs is the batch.
        output_shape: Integer or tuple, shape of the outputs without the batch.
        activation: Name or callable, applied to the outputs; `None` is linear.
        bias_axes: String, axes of the outputs that a bias is added to; `None` for no
            bias.
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start. Keep it
            well below `1 / sqrt(fan_in)`, or the noise hides the signal.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, whether the bias has a posterior too. Otherwise it is a
            plain weight without a prior.
        **kwargs: Other arguments of `keras.layers.EinsumDense`, such as
            `kernel_initializer` and `name`.

    Example:

        EinsumDenseFlipout("abc,cd->abd", (None, 10))
    """

    def __init__(self, equation, output_shape, activation=None, bias_axes=None, *,
                 prior_scale=1.0, prior=None, init_scale=0.01, scale_transform="exp",
                 variational_bias=False, **kwargs):
        super().__init__(equation=equation, output_shape=output_shape,
                         activation=activation, bias_axes=bias_axes,
                         prior_scale=prior_scale, prior=prior, init_scale=init_scale,
                         scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)

    def _signs(self, tensor, channels, draw, part):
        signs = noise.signs((ops.shape(tensor)[0], channels), draw.key_of(self, part))
        axes = self._input_axes if part == INPUT_SIGNS else self._output_axes
        return self._spread_over(axes, ops.cast(signs, self.compute_dtype))
