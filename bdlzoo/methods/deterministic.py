"""Maximum a posteriori: one network, no draws.

    loss = nll + 1 / num_data * sum of w**2 / (2 prior_scale**2)

The reference for all other methods. Dropout in the network regularises training and
is off at prediction.
"""

import keras

from bdlzoo.families import point_estimate
from bdlzoo.families.prior_model import PriorModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class Deterministic(PriorModel):
    """Trains a network as Keras does, with the zoo's evaluation and export.

    Args:
        network: Keras model whose outputs the likelihood reads: logits for classes,
            means for numbers.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for no prior, which is maximum likelihood.
        num_samples: Integer, draws at prediction. All draws are the same, so one is
            enough.
        num_train_samples: Integer, passes through the network in a training step; more
            than one is of use with dropout only.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.Deterministic(network, prior_scale=1.0)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    draws_differ = False

    def __init__(self, network, likelihood="categorical", prior_scale=None,
                 num_samples=1, num_train_samples=1, kl_weight=1.0, num_data=None,
                 seed=None, **kwargs):
        super().__init__(
            network, likelihood, prior_scale=prior_scale, num_samples=num_samples,
            num_train_samples=num_train_samples, kl_weight=kl_weight, num_data=num_data,
            seed=seed, **kwargs)

    def draw_parts(self, inputs, num_samples, key):
        del key, num_samples  # There is nothing to draw.
        return point_estimate.draw_parts(self.network, inputs)
