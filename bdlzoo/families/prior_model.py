"""Base class of models with a Gaussian prior on weights that are points.

    loss = nll + kl_weight / num_data * sum of share * w**2 / (2 prior_scale**2)

See `bdlzoo.families.weight_prior` for the shares.
"""

from bdlzoo.families import weight_prior
from bdlzoo.model.predictive_model import PredictiveModel


class PriorModel(PredictiveModel):
    """Adds the prior of the weights to the divergences of the layers.

    Args:
        network: Keras model whose outputs the likelihood reads.
        likelihood: Name, spec or `Likelihood` of the targets.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on
            the weights; `None` for no prior.
        **kwargs: Arguments of `PredictiveModel`: `num_samples`,
            `num_train_samples`, `kl_weight`, `num_data`, `seed`.
    """

    def __init__(self, network, likelihood="categorical", *, prior_scale=None,
                 **kwargs):
        super().__init__(network, likelihood, **kwargs)
        self.prior_scale = prior_scale

    def prior_shares(self):
        """Share of each trainable weight of the network; `None` is 1 for all."""
        return None

    def kl(self):
        """Minus log prior of the weights, up to a constant."""
        terms = super().kl()
        if self.prior_scale is None:
            return terms
        energy = weight_prior.energy(self.network.trainable_variables,
                                     self.prior_scale, self.prior_shares())
        return energy if terms is None else energy + terms

    def get_config(self):
        return {**super().get_config(), "prior_scale": self.prior_scale}
