"""Technique with one weight draw for the batch and random signs for each row.

    outputs = map(x, mean) + map(x * s, scale * eps) * r

Each row has two vectors of signs, s and r, constant over positions. They make the noise
of two rows uncorrelated, although all rows share `eps`. So the gradient of a batch has
less variance, for twice the arithmetic.

Reference: Wen et al., Flipout: Efficient Pseudo-Independent Weight
Perturbations on Mini-Batches, ICLR 2018.
"""

from keras import ops

from bdlzoo.core import held, noise
from bdlzoo.layers.variational import INPUT_SIGNS, OUTPUT_SIGNS, Variational


class Flipout(Variational):
    """Multiplies one draw of the kernel by random signs for each row."""

    def noisy(self, inputs, draw):
        delta = self.perturbations(draw, draw.count)
        turned = inputs
        if self.input_channels is not None:
            turned = inputs * self._signs(
                inputs, self.input_channels, draw, INPUT_SIGNS)
        outputs = self.stacked(turned, delta)
        signs = self._signs(outputs, self.output_channels, draw, OUTPUT_SIGNS)
        return self.linear(inputs, self.mean_kernel()) + outputs * signs

    def _signs(self, tensor, channels, draw, part):
        shape = (ops.shape(tensor)[0], channels)
        signs = held.once((id(self), part), lambda: noise.signs(
            shape, draw.key_of(self, part)))
        return self.spread(ops.cast(signs, self.compute_dtype), len(tensor.shape))
