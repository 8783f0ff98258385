"""Maximum a posteriori: one network, no draws.

    loss = nll + 1 / num_data * sum of w**2 / (2 prior_scale**2)

The reference point of all other methods. Dropout in the network regularises
its training and is off at prediction.
"""

import keras

from bdlzoo.model import point_estimate, weight_prior
from bdlzoo.model.predictive_model import PredictiveModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class Deterministic(PredictiveModel):
    """Trains a network as Keras would, with the zoo's evaluation and export.

    Args:
        *args: See `PredictiveModel`.
        prior_scale: Float, standard deviation of the zero-mean prior on the
            weights; `None` has no prior, hence maximum likelihood.
        num_samples: Integer; all draws are the same, so one is enough.
        **kwargs: See `PredictiveModel`.

    Example:

        model = bdlzoo.methods.Deterministic(network, prior_scale=1.0)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    def __init__(self, *args, prior_scale=None, num_samples=1, **kwargs):
        super().__init__(*args, num_samples=num_samples, **kwargs)
        self.prior_scale = prior_scale

    def draw(self, inputs, num_samples, key):
        del key  # There is nothing to draw.
        return point_estimate.draws(self.network, inputs, num_samples)

    def kl(self):
        """Minus log prior, up to a constant: the posterior is one point."""
        if self.prior_scale is None:
            return super().kl()
        return weight_prior.energy(self.network.trainable_variables,
                                   self.prior_scale)

    def get_config(self):
        return {**super().get_config(), "prior_scale": self.prior_scale}
