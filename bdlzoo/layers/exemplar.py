"""Technique with a weight draw for each row of the batch.

    outputs_b = map(x_b, mean + scale * eps_b)

Of the estimators by weight draws it has the lowest variance. A dense layer on flat rows
draws its outputs instead: they have the same distribution and need no kernels. Other
layers draw as many kernels as the batch has rows. If there is no memory for them (a
method sets `crowded`), Flipout is used.

Reference: Deng et al., BayesAdapter: Being Bayesian, Inexpensively and
Reliably, via Bayesian Fine-tuning, ACML 2022.
"""

from keras import ops

from bdlzoo.layers.flipout import Flipout
from bdlzoo.layers.local_reparameterization import LocalReparameterization


class Exemplar(LocalReparameterization, Flipout):
    """Draws a kernel for each row."""

    crowded = False  # Whether memory cannot hold as many kernels as rows.

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
