"""MSTN: a moving semantic transfer network.

    c        <- centroid_rate * centroid of the batch + (1 - centroid_rate) c
    semantic = sum over classes of mean over numbers of (c of source - c of target)**2
    loss     = nll of the source + prior + domain_weight * domain
               + semantic_weight * semantic

`domain` is that of RevGrad: both domains look alike as a whole. Moving centroids of
classes meet too, where the network itself labels the target.

Reference: Xie et al., Learning Semantic Representations for Unsupervised Domain
Adaptation, ICML 2018.
"""

import keras

from bdlzoo.families.adapting_model import AdaptingModel
from bdlzoo.families.domain_adversary import DomainAdversary
from bdlzoo.families.moving_centroids import MovingCentroids
from bdlzoo.families.teacher import Teacher
from bdlzoo.schedules import SigmoidRise


@keras.saving.register_keras_serializable(package="bdlzoo")
class MSTN(AdaptingModel):
    """Aligns domains by a discriminator and by moving centroids of classes.

    Args:
        network: Keras model that classifies; its outputs are logits.
        likelihood: Must be `"categorical"`, or a `bdlzoo.likelihoods.Categorical`.
        semantic_weight: Float, or schedule over steps (or its spec), weight of the
            distance of centroids; `None` is the published
            `bdlzoo.SigmoidRise(40000)`. Shorten it to the steps of your training.
        centroid_rate: Float in (0, 1], share of the batch in a moving centroid.
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

        model = bdlzoo.methods.MSTN(network)
        model.compile(keras.optimizers.SGD(0.01, momentum=0.9))
        model.fit(x, y, target=x_target, epochs=80)
    """

    def __init__(self, network, likelihood="categorical", semantic_weight=None,
                 centroid_rate=0.3, discriminator=(500, 500), domain_weight=0.1,
                 reversal=None, features="outputs", prior_scale=None, num_samples=1,
                 kl_weight=1.0, num_data=None, seed=None, **kwargs):
        adversary = DomainAdversary(discriminator, domain_weight, SigmoidRise(
            40000) if reversal is None else reversal)
        centroids = MovingCentroids(SigmoidRise(
            40000) if semantic_weight is None else semantic_weight, centroid_rate)
        super().__init__(
            network, likelihood, parts=[adversary, centroids], features=features,
            teacher=Teacher(), prior_scale=prior_scale, num_samples=num_samples,
            kl_weight=kl_weight, num_data=num_data, seed=seed, **kwargs)
        self.semantic_weight = centroids.weight
        self.centroid_rate = centroid_rate
        self.discriminator = adversary.hidden
        self.domain_weight = domain_weight
        self.reversal = adversary.reversal

    def get_config(self):
        serialize = keras.saving.serialize_keras_object
        return {**super().get_config(),
                "semantic_weight": serialize(self.semantic_weight),
                "centroid_rate": self.centroid_rate,
                "discriminator": self.discriminator,
                "domain_weight": self.domain_weight,
                "reversal": serialize(self.reversal)}
