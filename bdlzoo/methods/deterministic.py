"""Maximum a posteriori: one network, no draws.

    loss = nll + 1 / num_data * sum of w**2 / (2 prior_scale**2)

The reference point of all other methods. Dropout in the network regularises
its training and is off at prediction.
"""

import keras

from bdlzoo.families import point_estimate
from bdlzoo.families.prior_model import PriorModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class Deterministic(PriorModel):
    """Trains a network as Keras would, with the zoo's evaluation and export.

    Args:
        *args: See `PriorModel`; without a prior it is maximum likelihood.
        num_samples: Integer; all draws are the same, so one is enough.
        **kwargs: See `PriorModel`.

    Example:

        model = bdlzoo.methods.Deterministic(network, prior_scale=1.0)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    def __init__(self, *args, num_samples=1, **kwargs):
        super().__init__(*args, num_samples=num_samples, **kwargs)

    def draw(self, inputs, num_samples, key):
        del key  # There is nothing to draw.
        return point_estimate.draws(self.network, inputs, num_samples)
