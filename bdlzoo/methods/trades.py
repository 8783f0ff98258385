"""TRADES: the boundary is pushed away from the data, which stay on their side.

    loss = mean of -log p(y | x) + beta KL(p(. | x) || p(. | x')) + prior
    x'   = PGD on KL(p(. | x) || p(. | x')) from x + 0.001 N(0, 1), where p(. | x) is
           constant

Labels are fitted on the clean inputs, and the adversary needs none: he looks for the
place where the prediction differs most. In the loss the gradient flows through both
sides of the divergence.

Reference: Zhang et al., Theoretically Principled Trade-off between Robustness and
Accuracy, ICML 2019.
"""

import keras
import tensorflow as tf

from bdlzoo import attacks as _attacks  # noqa: F401  Known by name.
from bdlzoo.families.adversarial_model import check_number, cross_entropy
from bdlzoo.families.attacked_model import AttackedModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class TRADES(AttackedModel):
    """Trains on clean inputs, and keeps predictions even around them.

    Args:
        *args: See `AttackedModel`; the usual attack has 10 steps.
        beta: Float, weight of the divergence; 0 is standard training.
        **kwargs: See `AttackedModel`.

    Example:

        model = bdlzoo.methods.TRADES(network, epsilon=0.3, beta=6.0)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    log_names = ("loss", "nll", "kl", "divergence")

    def __init__(self, *args, beta=6.0, **kwargs):
        super().__init__(*args, **kwargs)
        check_number("beta", beta, 0.0)
        self.beta = beta

    def usual_attack(self):
        return dict(type="PGD", loss="DivergenceLoss", start_scale=1e-3, num_steps=10,
                    step_size=self.epsilon / 4)

    def terms(self, x, attacked, y):
        outputs = self.outputs(x)
        gap = divergence(outputs, self.outputs(attacked))
        return outputs, {"nll": cross_entropy(outputs, y),
                         "divergence": self.beta * gap}

    def get_config(self):
        return {**super().get_config(), "beta": self.beta}


def divergence(first, second):
    """`KL(softmax(first) || softmax(second))` of logits `[B, C]`, `[B]`."""
    before, after = map(tf.nn.log_softmax, (first, second))
    return tf.reduce_sum(tf.exp(before) * (before - after), axis=-1)
