"""Adversarial logit pairing.

    loss = mean of -log p(y | x') + pairing_weight ||f(x) - f(x')||**2 + prior
    x'   = attack(x),  f the logits

Adversarial training, with an image and its attacked twin drawn together in logits.
Both receive the gradient.

Reference: Kannan, Kurakin and Goodfellow, Adversarial Logit Pairing, 2018.
"""

import keras
import tensorflow as tf

from bdlzoo import attacks as _attacks  # noqa: F401  Known by name.
from bdlzoo.families.adversarial_model import check_number, cross_entropy
from bdlzoo.families.attacked_model import AttackedModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class ALP(AttackedModel):
    """Trains on inputs under attack, whose logits stay with those of the inputs.

    Args:
        *args: See `AttackedModel`.
        pairing_weight: Float, weight of the squared distance of the logits.
        **kwargs: See `AttackedModel`.

    Example:

        model = bdlzoo.methods.ALP(network, epsilon=0.3, pairing_weight=0.5)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    log_names = ("loss", "nll", "kl", "pairing")

    def __init__(self, *args, pairing_weight=0.5, **kwargs):
        super().__init__(*args, **kwargs)
        check_number("pairing_weight", pairing_weight, 0.0)
        self.pairing_weight = pairing_weight

    def terms(self, x, attacked, y):
        outputs = self.outputs(attacked)
        gap = tf.reduce_sum(tf.square(self.outputs(x) - outputs), axis=-1)
        return outputs, {"nll": cross_entropy(outputs, y),
                         "pairing": self.pairing_weight * gap}

    def get_config(self):
        return {**super().get_config(), "pairing_weight": self.pairing_weight}
