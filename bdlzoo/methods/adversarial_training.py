"""Adversarial training.

    loss = mean of -log p(y | x') + prior,    x' = attack(x)

By PGD, the attack from which no first-order one differs much, it is the baseline of
all others. By FGSM without a random start it is a negative control: the network
learns to have steps of that one length in no harmful direction, and stays as open
to shorter ones as before.

Reference: Goodfellow et al., Explaining and Harnessing Adversarial Examples, ICLR
2015; Madry et al., Towards Deep Learning Models Resistant to Adversarial Attacks,
ICLR 2018.
"""

import keras

from bdlzoo import attacks as _attacks  # noqa: F401  Known by name.
from bdlzoo.families.attacked_model import AttackedModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class AdversarialTraining(AttackedModel):
    """Trains a network on inputs under attack, and on nothing else.

    Args:
        *args: See `AttackedModel`.
        **kwargs: See `AttackedModel`.

    Example:

        model = bdlzoo.methods.AdversarialTraining(network, epsilon=0.3, attack=dict(
            type="PGD", step_size=0.1, num_steps=7))
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """
