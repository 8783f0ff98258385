"""Base class of models whose draws are dropout masks, with a prior on the weights.

    loss = nll + 1 / num_data * sum over layers of
           share / (2 prior_scale**2) * ||w||**2 - entropy(rate)

The prior of a kernel is weighed by the rate of the dropout before it, as in the code
of the authors: `share` is 1 - rate, and 1 / (1 - rate) for a learnt rate. Only a learnt
rate has the entropy, n_in times that of one mask. Gal gives the prior by its
length-scale: `prior_scale = 1 / length_scale`. A network can also hold variational
layers, which add their own divergence.

Reference: Gal and Ghahramani, Dropout as a Bayesian Approximation, ICML 2016.
"""

from absl import logging

from bdlzoo.families import weight_prior
from bdlzoo.families.prior_model import PriorModel
from bdlzoo.surgery import conversion


class DropoutModel(PriorModel):
    """Weighs the prior by the dropout rates, and lists them.

    Args:
        network: Keras model with dropout layers, those of Keras or of the zoo.
        likelihood: Name, spec or `Likelihood` of the targets.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on
            the weights; `None` for no prior. Learnt rates need one.
        length_scale: Float, the same prior given by its length-scale,
            `1 / prior_scale`. Give at most one of the two.
        **kwargs: Arguments of `PredictiveModel`: `num_samples`,
            `num_train_samples`, `kl_weight`, `num_data`, `seed`.
    """

    def __init__(self, network, likelihood="categorical", *, prior_scale=None,
                 length_scale=None, **kwargs):
        if length_scale is not None:
            if prior_scale is not None:
                raise ValueError(
                    "Expected `prior_scale` or `length_scale`, its reciprocal, not "
                    f"both. Received: prior_scale={prior_scale}, "
                    f"length_scale={length_scale}")
            if not length_scale > 0:
                raise ValueError("Expected a positive length-scale. Received: "
                                 f"length_scale={length_scale}")
            prior_scale = 1.0 / length_scale
        super().__init__(network, likelihood, prior_scale=prior_scale, **kwargs)
        self.length_scale = length_scale

    def build(self, input_shape):
        super().build(input_shape)
        if self.prior_scale is None and weight_prior.learnt_layers(self.blueprint):
            raise ValueError(
                "Expected a prior if dropout rates are learnt: without a prior they "
                "grow to 1/2. Give `prior_scale`. Received: prior_scale=None")
        self.prior_shares()  # Raises if a share cannot be known.
        if not conversion.stochastic_layers(self.blueprint):
            logging.warning("Network %s has no active dropout: all draws will be "
                            "the same.", self.blueprint.name)

    def prior_shares(self):
        return weight_prior.kept_shares(self.network)

    def rates(self, learnt_only=False):
        """Returns the rates of active dropout layers, fixed and learnt.

        Args:
            learnt_only: Bool, whether fixed rates are left out.

        Returns:
            Dictionary from the name of a layer to its rate, a float.
        """
        rates = {layer.name: layer.rate
                 for layer in conversion.stochastic_layers(self.blueprint)
                 if hasattr(layer, "rate")}
        return {name: float(rate() if callable(rate) else rate)
                for name, rate in rates.items()
                if callable(rate) or not learnt_only}

    def findings(self):
        rates = self.rates(learnt_only=True)
        return {"Learnt dropout rates": rates} if rates else {}

    def get_config(self):
        config = {**super().get_config(), "length_scale": self.length_scale}
        if self.length_scale is not None:
            config["prior_scale"] = None  # `length_scale` was given.
        return config
