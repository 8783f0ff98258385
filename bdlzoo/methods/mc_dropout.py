"""Monte Carlo dropout.

    p(y | x) = mean over s of p(y | x, w * z_s),    z_s ~ Bernoulli(1 - rate)
    loss     = nll + 1 / num_data * sum over layers of
               (1 - rate) / (2 prior_scale**2) * ||w||**2

Dropout, left on at prediction, is a draw from an approximate posterior. The
base adopts the dropout layers of the network. The prior, where one is given,
weighs a kernel by the rate of the dropout before it, as the authors' code does.

Reference: Gal and Ghahramani, Dropout as a Bayesian Approximation, ICML 2016.
"""

import keras
from absl import logging

from bdlzoo.model import conversion, weight_prior
from bdlzoo.model.predictive_model import PredictiveModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class MCDropout(PredictiveModel):
    """Averages a network over its dropout masks.

    Args:
        *args: See `PredictiveModel`; the network holds stock dropout layers.
        prior_scale: Float, standard deviation of the zero-mean prior on the
            weights; `None` has no prior.
        **kwargs: See `PredictiveModel`.

    Example:

        model = bdlzoo.methods.MCDropout(network, likelihood="categorical")
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    def __init__(self, *args, prior_scale=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.prior_scale = prior_scale

    def build(self, input_shape):
        super().build(input_shape)
        self._kept = weight_prior.kept_shares(self.network)
        if not conversion.stochastic_layers(self.network):
            logging.warning("Network %s has no dropout that is on: all draws "
                            "will be the same.", self.network.name)

    def kl(self):
        if self.prior_scale is None:
            return super().kl()
        return weight_prior.energy(self.network.trainable_variables,
                                   self.prior_scale, self._kept)

    def get_config(self):
        return {**super().get_config(), "prior_scale": self.prior_scale}
