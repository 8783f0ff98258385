"""Noise on the outputs of a layer, in place of its weights.

    outputs = map(x, mean) + sqrt(map(x**2, scale**2)) * eps

For a dense layer on flat rows this is the law of a weight draw for each row.
Where a kernel meets several positions of a row it is not: each position has
noise of its own. Training may use that; draws for predictions are of weights.

Reference: Kingma, Salimans and Welling, Variational Dropout and the Local
Reparameterization Trick, NeurIPS 2015.
"""

import keras
from keras import ops

from bdlzoo.core import noise
from bdlzoo.layers.variational import KERNEL, Variational


class LocalReparameterization(Variational):
    """Draws what a kernel would give instead of the kernel."""

    @property
    def independent_rows(self):
        return self.one_position

    def noisy(self, inputs, draw):
        return self.local(inputs, draw)

    def local(self, inputs, draw):
        mean = self.linear(inputs, self.mean_kernel())
        # In float32: squares of small numbers vanish in half precision. An
        # index stands for a row of zeros and a one, which is its own square.
        index = isinstance(self, keras.layers.Embedding)
        squares = inputs if index else ops.square(ops.cast(inputs, "float32"))
        variance = self.linear(squares, self.kernel_scale() ** 2)
        eps = noise.normal(ops.shape(mean), draw.key_of(self, KERNEL))
        return mean + ops.cast(_root(variance) * eps, mean.dtype)


def _root(variance):
    """Square root with slope zero at zero, where inputs are and noise is not."""
    noisy = variance > 0
    return ops.where(noisy, ops.sqrt(ops.where(noisy, variance, 1.0)), 0.0)
