"""A weight draw for each row of the batch.

    outputs_b = map(x_b, mean + scale * eps_b)

The least noisy of the estimators by weight draws. A dense layer on flat rows
draws its outputs, which has the same law and needs no kernels; elsewhere the
batch holds as many kernels as rows, and where memory has no room for them (see
`bdlzoo.surgery.memory.make_room`) Flipout takes over.

Reference: Deng et al., BayesAdapter: Being Bayesian, Inexpensively and
Reliably, via Bayesian Fine-tuning, ACML 2022.
"""

from keras import ops

from bdlzoo.layers.flipout import Flipout
from bdlzoo.layers.local_reparameterization import LocalReparameterization


class Exemplar(LocalReparameterization, Flipout):
    """Draws a kernel for each row."""

    crowded = False  # Whether there is no room for as many kernels as rows.

    @property
    def independent_rows(self):
        return not self.crowded

    def noisy(self, inputs, draw):
        if self.one_position:
            return self.local(inputs, draw)
        if self.crowded:
            return Flipout.noisy(self, inputs, draw)
        rows = ops.shape(inputs)[0]
        return self.stacked(inputs, self.draw_kernels(draw, rows))
