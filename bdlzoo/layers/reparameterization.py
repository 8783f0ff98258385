"""Technique with one weight draw for the whole batch.

    outputs = map(x, mean + scale * eps)

The simplest estimator, and the one with the highest variance, because all rows have
the same weights.

Reference: Blundell et al., Weight Uncertainty in Neural Networks, ICML 2015.
"""

from bdlzoo.layers.variational import Variational


class Reparameterization(Variational):
    """Draws one kernel for the rows of a draw."""

    def noisy(self, inputs, draw):
        return self.stacked(inputs, self.draw_kernels(draw, draw.count))

    def bias_rows(self, rows, draw):
        return draw.count
