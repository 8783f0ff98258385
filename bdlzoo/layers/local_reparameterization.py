"""Technique with noise on the outputs of a layer, in place of its weights.

    outputs = map(x, mean) + sqrt(map(x**2, scale**2)) * eps

For a dense layer on flat rows the outputs have the distribution of a weight draw for
each row. If a kernel is used at several positions of a row they do not, because each
position has its own noise. That is used in training only; predictions draw weights.

Reference: Kingma, Salimans and Welling, Variational Dropout and the Local
Reparameterization Trick, NeurIPS 2015.
"""

import keras
from keras import ops

from bdlzoo.core import noise
from bdlzoo.layers.variational import KERNEL, Variational


class LocalReparameterization(Variational):
    """Draws the outputs of a layer instead of its kernel."""

    @property
    def independent_rows(self):
        return self.one_position

    def noisy(self, inputs, draw):
        return self.local(inputs, draw)

    def local(self, inputs, draw):
        """Outputs with noise of their own variance."""
        mean = self.linear(inputs, self.mean_kernel())
        # In float32, because squares of small numbers vanish in half precision. An
        # index stands for a one-hot row, which is its own square.
        index = isinstance(self, keras.layers.Embedding)
        squares = inputs if index else ops.square(ops.cast(inputs, "float32"))
        variance = self.linear(squares, self.kernel_scale() ** 2)
        eps = noise.normal(ops.shape(mean), draw.key_of(self, KERNEL))
        return mean + ops.cast(_root(variance) * eps, mean.dtype)


def _root(variance):
    """Square root with slope 0 at 0, so that inputs of zero have a gradient."""
    noisy = variance > 0
    return ops.where(noisy, ops.sqrt(ops.where(noisy, variance, 1.0)), 0.0)
