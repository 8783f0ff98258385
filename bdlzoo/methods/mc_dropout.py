"""Monte Carlo dropout.

    p(y | x) = mean over s of p(y | x, w * z_s),    z_s ~ Bernoulli(1 - rate)
    loss     = nll + 1 / num_data * sum over layers of
               share / (2 prior_scale**2) * ||w||**2 - entropy(rate)

Dropout, left on at prediction, is a draw from an approximate posterior. The
layers that the network holds say which: Bernoulli (`Dropout`), Gaussian
(`GaussianDropout`), of channels (`SpatialDropout2D`), or concrete, whose rate is
learnt (`ConcreteDropout`, `SpatialConcreteDropout`). The prior, where one is
given, weighs a kernel by the rate of the dropout before it, as the authors' code
does: `share` is 1 - rate, and 1 / (1 - rate) for a learnt one. Only a learnt
rate has the entropy, n_in times that of one mask.

Reference: Gal and Ghahramani, Dropout as a Bayesian Approximation, ICML 2016;
Gal, Hron and Kendall, Concrete Dropout, NeurIPS 2017.
"""

import keras
from absl import logging

from bdlzoo.model import conversion, weight_prior
from bdlzoo.model.prior_model import PriorModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class MCDropout(PriorModel):
    """Averages a network over its dropout masks.

    Args:
        *args: See `PriorModel`; the network holds dropout layers, those of
            Keras or of the zoo. Learnt rates need a prior.
        **kwargs: See `PriorModel`.

    Example:

        model = bdlzoo.methods.MCDropout(network, likelihood="categorical")
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    def build(self, input_shape):
        super().build(input_shape)
        if self.prior_scale is None and weight_prior.learnt_layers(self.network):
            raise ValueError(
                "Expected a prior where dropout rates are learnt: without one "
                "they run to 1/2. Give `prior_scale`. Received: prior_scale=None")
        weight_prior.kept_shares(self.network)  # Raises where it cannot tell.
        if not conversion.stochastic_layers(self.network):
            logging.warning("Network %s has no dropout that is on: all draws "
                            "will be the same.", self.network.name)

    def prior_shares(self):
        return weight_prior.kept_shares(self.network)

    def rates(self, learnt_only=False):
        """Rates of the dropout that is on, fixed and learnt.

        Args:
            learnt_only: Bool, whether to leave fixed rates out.

        Returns:
            Dictionary from the name of a layer to its rate, a float.
        """
        rates = {layer.name: layer.rate
                 for layer in conversion.stochastic_layers(self.network)
                 if hasattr(layer, "rate")}
        return {name: float(rate() if callable(rate) else rate)
                for name, rate in rates.items()
                if callable(rate) or not learnt_only}
