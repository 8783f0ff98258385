"""VADA: virtual adversarial domain adaptation.

    loss = nll of the source + prior + domain_weight * domain
           + entropy_weight * mean over target of the entropy of p(y | x)
           + source_weight * virtual(source) + target_weight * virtual(target)
    virtual = mean over rows of KL(p(x) || p(x + r)),    ||r|| = epsilon

`domain` is that of RevGrad. The other terms push the boundaries of classes to where
there are few rows of the target: predictions are sure, and do not change nearby.

Reference: Shu et al., A DIRT-T Approach to Unsupervised Domain Adaptation, ICLR 2018.
"""

import keras

from bdlzoo.families.adapting_model import AdaptingModel
from bdlzoo.families.domain_adversary import DomainAdversary
from bdlzoo.families.virtual_adversary import VirtualAdversary
from bdlzoo.schedules import SigmoidRise


@keras.saving.register_keras_serializable(package="bdlzoo")
class VADA(AdaptingModel):
    """Adds virtual adversaries and the entropy of the target to RevGrad.

    Args:
        network: Keras model that classifies; its outputs are logits.
        likelihood: Must be `"categorical"`, or a `bdlzoo.likelihoods.Categorical`.
        epsilon: Float, Euclidean length of the virtual perturbations; 0 for none. 3.5
            is published for images of 32 x 32 in colour.
        entropy_weight: Float, weight of the entropy of the target.
        source_weight: Float, weight of the virtual adversary of the source.
        target_weight: Float, weight of the virtual adversary of the target.
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

        model = bdlzoo.methods.VADA(network, epsilon=1.0)
        model.compile("adam")
        model.fit(x, y, target=x_target, epochs=80)
    """

    def __init__(self, network, likelihood="categorical", epsilon=3.5,
                 entropy_weight=0.01, source_weight=1.0, target_weight=0.01,
                 discriminator=(500, 500), domain_weight=0.01, reversal=None,
                 features="outputs", prior_scale=None, num_samples=1, kl_weight=1.0,
                 num_data=None, seed=None, **kwargs):
        adversary = DomainAdversary(discriminator, domain_weight, SigmoidRise(
            40000) if reversal is None else reversal)
        virtual = VirtualAdversary(entropy_weight, source_weight, target_weight,
                                   epsilon)
        super().__init__(
            network, likelihood, parts=[adversary, virtual], features=features,
            prior_scale=prior_scale, num_samples=num_samples, kl_weight=kl_weight,
            num_data=num_data, seed=seed, **kwargs)
        self.epsilon = epsilon
        self.entropy_weight = entropy_weight
        self.source_weight = source_weight
        self.target_weight = target_weight
        self.discriminator = adversary.hidden
        self.domain_weight = domain_weight
        self.reversal = adversary.reversal

    def get_config(self):
        return {**super().get_config(), "epsilon": self.epsilon,
                "entropy_weight": self.entropy_weight,
                "source_weight": self.source_weight,
                "target_weight": self.target_weight,
                "discriminator": self.discriminator,
                "domain_weight": self.domain_weight,
                "reversal": keras.saving.serialize_keras_object(self.reversal)}
