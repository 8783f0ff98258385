"""Source only: a network that is trained on one domain and used in another.

    loss = nll of the source + prior

The reference for methods of domain adaptation: the same steps, batches and scores, and
no use of the target. BatchNorm sees the source alone.
"""

import keras

from bdlzoo.families.adapting_model import AdaptingModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class SourceOnly(AdaptingModel):
    """Trains on the source, under the protocol of domain adaptation.

    Args:
        network: Keras model that classifies; its outputs are logits.
        likelihood: Must be `"categorical"`, or a `bdlzoo.likelihoods.Categorical`.
        features: What plots of features show: `"outputs"` of the network, or
            `"hidden"`, what its last layer with weights reads.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for no prior.
        num_samples: Integer, draws at prediction. All draws are the same, so one is
            enough.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        num_data: Integer, number of rows of the source, by which the prior is divided
            in the loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.SourceOnly(network)
        model.compile(keras.optimizers.SGD(0.01, momentum=0.9))
        model.fit(x, y, target=(x_target, y_target), epochs=20)
    """

    plays_against_itself = False

    def __init__(self, network, likelihood="categorical", features="outputs",
                 prior_scale=None, num_samples=1, kl_weight=1.0, num_data=None,
                 seed=None, **kwargs):
        super().__init__(
            network, likelihood, features=features, prior_scale=prior_scale,
            num_samples=num_samples, kl_weight=kl_weight, num_data=num_data, seed=seed,
            **kwargs)
