"""Adversarial training.

    loss = mean of -log p(y | x') + prior,    x' = attack(x)

With PGD, about as strong as any attack that uses gradients alone, it is the baseline
of all other methods of its kind. With FGSM without a random start it is a negative
control: the network learns to resist steps of exactly that length, and stays open to
shorter ones.

Reference: Goodfellow et al., Explaining and Harnessing Adversarial Examples, ICLR
2015; Madry et al., Towards Deep Learning Models Resistant to Adversarial Attacks,
ICLR 2018.
"""

import keras

from bdlzoo import attacks as _attacks  # noqa: F401  Known by name.
from bdlzoo.families.attacked_model import AttackedModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class AdversarialTraining(AttackedModel):
    """Trains a network on attacked inputs only.

    Args:
        network: Keras model that classifies; its outputs are logits.
        likelihood: Must be `"categorical"`, or a `bdlzoo.likelihoods.Categorical` that
            reads logits: attacks need them.
        epsilon: Float, radius of the ball of perturbations (largest change of a
            number); 0 is standard training.
        attack: Attack that moves the inputs, without its radius and box, which are the
            model's: a name of `bdlzoo.attacks`, a dictionary with the name under `type`
            and options beside it, or a dictionary of options alone, which change the
            default. `None` is the default, PGD of 7 steps of `epsilon / 4`. Steps grow
            with the radius in the warm-up.
        warm_up: Float, epochs over which the radius grows to `epsilon`; 0 for none.
        low: Float, smallest value that an input may have.
        high: Float, largest value that an input may have.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for no prior.
        num_samples: Integer, draws at prediction. All draws are the same, so one is
            enough.
        num_train_samples: Integer, draws in a training step. It has no effect here: a
            step makes one pass through the network.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.AdversarialTraining(network, epsilon=0.3, attack=dict(
            type="PGD", step_size=0.1, num_steps=7))
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    def __init__(self, network, likelihood="categorical", epsilon=0.3, attack=None,
                 warm_up=1.0, low=0.0, high=1.0, prior_scale=None, num_samples=1,
                 num_train_samples=1, kl_weight=1.0, num_data=None, seed=None,
                 **kwargs):
        super().__init__(
            network, likelihood, epsilon=epsilon, attack=attack, warm_up=warm_up,
            low=low, high=high, prior_scale=prior_scale, num_samples=num_samples,
            num_train_samples=num_train_samples, kl_weight=kl_weight, num_data=num_data,
            seed=seed, **kwargs)
