"""RevGrad: features by which a discriminator cannot tell two domains apart.

    domain = mean over source of -log (1 - D(f)) + mean over target of -log D(f)
    loss   = nll of the source + prior + domain_weight * domain
    D lowers the loss; the network gets the gradient of `domain` times -reversal

Both domains then look alike as a whole, which says nothing about classes: where the
domains have other shares of classes, rows are brought to wrong ones.

Reference: Ganin and Lempitsky, Unsupervised Domain Adaptation by Backpropagation,
ICML 2015; sizes and weights of the released code of CAT (Deng et al., ICCV 2019).
"""

import keras

from bdlzoo.families.adapting_model import AdaptingModel
from bdlzoo.families.domain_adversary import DomainAdversary
from bdlzoo.schedules import SigmoidRise


@keras.saving.register_keras_serializable(package="bdlzoo")
class RevGrad(AdaptingModel):
    """Trains a network against a discriminator of domains.

    Args:
        network: Keras model that classifies; its outputs are logits.
        likelihood: Must be `"categorical"`, or a `bdlzoo.likelihoods.Categorical`.
        discriminator: Tuple of integers, hidden layers of the discriminator.
        domain_weight: Float, weight of the loss of the discriminator.
        reversal: Float, or schedule over steps (or its spec), factor of the gradient
            that goes back into the network; `None` is the published
            `bdlzoo.SigmoidRise(40000)`. Shorten it to the steps of your training.
        features: What is aligned: `"outputs"` of the network, or `"hidden"`, what its
            last layer with weights reads.
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

        model = bdlzoo.methods.RevGrad(network, reversal=bdlzoo.SigmoidRise(2000))
        model.compile(keras.optimizers.SGD(0.01, momentum=0.9))
        model.fit(x, y, target=x_target, epochs=80)
        model.predict_uncertainty(x_target)
    """

    def __init__(self, network, likelihood="categorical", discriminator=(500, 500),
                 domain_weight=0.1, reversal=None, features="outputs",
                 prior_scale=None, num_samples=1, kl_weight=1.0, num_data=None,
                 seed=None, **kwargs):
        adversary = DomainAdversary(discriminator, domain_weight, SigmoidRise(
            40000) if reversal is None else reversal)
        super().__init__(
            network, likelihood, parts=[adversary], features=features,
            prior_scale=prior_scale, num_samples=num_samples, kl_weight=kl_weight,
            num_data=num_data, seed=seed, **kwargs)
        self.discriminator = adversary.hidden
        self.domain_weight = domain_weight
        self.reversal = adversary.reversal

    def get_config(self):
        return {**super().get_config(), "discriminator": self.discriminator,
                "domain_weight": self.domain_weight,
                "reversal": keras.saving.serialize_keras_object(self.reversal)}
