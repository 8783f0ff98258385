"""Robust RevGrad: gradient reversal for the rows of the target that are sure.

    counts = confidence of the teacher > threshold
    domain = mean over source of -log (1 - D(f))
             + mean over the target, where it counts, of -log D(f)
    loss   = nll of the source + prior + domain_weight * domain
    D lowers the loss; the network gets the gradient of `domain` times -reversal

A row of the target of which nobody knows the class may be brought to a wrong one, so
that it waits. With threshold 0 this is RevGrad.

Reference: Deng, Luo and Zhu, Cluster Alignment with a Teacher for Unsupervised Domain
Adaptation, ICCV 2019, and its released code.
"""

import keras

from bdlzoo.families.adapting_model import AdaptingModel
from bdlzoo.families.domain_adversary import DomainAdversary
from bdlzoo.families.teacher import Teacher
from bdlzoo.schedules import SigmoidRise


@keras.saving.register_keras_serializable(package="bdlzoo")
class RobustRevGrad(AdaptingModel):
    """Trains a network against a discriminator that sees sure rows of the target.

    Args:
        network: Keras model that classifies; its outputs are logits.
        likelihood: Must be `"categorical"`, or a `bdlzoo.likelihoods.Categorical`.
        threshold: Float in [0, 1), confidence of the teacher above which a row of the
            target counts.
        discriminator: Tuple of integers, hidden layers of the discriminator.
        domain_weight: Float, weight of the loss of the discriminator.
        reversal: Float, or schedule over steps (or its spec), factor of the gradient
            that goes back into the network; `None` is the published
            `bdlzoo.SigmoidRise(40000)`. Shorten it to the steps of your training.
        teacher: `"pass"`, a second pass of the network, or `"ema"`, an average of its
            weights.
        teacher_decay: Float in [0, 1), share of the average that a step keeps.
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

        model = bdlzoo.methods.RobustRevGrad(network, threshold=0.9)
        model.compile(keras.optimizers.SGD(0.01, momentum=0.9))
        model.fit(x, y, target=x_target, epochs=80)
    """

    def __init__(self, network, likelihood="categorical", threshold=0.9,
                 discriminator=(500, 500), domain_weight=0.1, reversal=None,
                 teacher="pass", teacher_decay=0.99, features="outputs",
                 prior_scale=None, num_samples=1, kl_weight=1.0, num_data=None,
                 seed=None, **kwargs):
        adversary = DomainAdversary(discriminator, domain_weight, SigmoidRise(
            40000) if reversal is None else reversal, threshold)
        super().__init__(
            network, likelihood, parts=[adversary], features=features,
            teacher=Teacher(teacher, teacher_decay), prior_scale=prior_scale,
            num_samples=num_samples, kl_weight=kl_weight, num_data=num_data, seed=seed,
            **kwargs)
        self.threshold = threshold
        self.discriminator = adversary.hidden
        self.domain_weight = domain_weight
        self.reversal = adversary.reversal
        self.teacher = teacher
        self.teacher_decay = teacher_decay

    def get_config(self):
        return {**super().get_config(), "threshold": self.threshold,
                "discriminator": self.discriminator,
                "domain_weight": self.domain_weight,
                "reversal": keras.saving.serialize_keras_object(self.reversal),
                "teacher": self.teacher, "teacher_decay": self.teacher_decay}
