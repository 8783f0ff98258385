"""Feature scattering: a batch is moved away from itself as a whole.

    x'   = one step of epsilon up the cost of transport between f(x) and f(x'), from a
           random start
    loss = mean of -sum_c q_c log p(c | x') + prior
    q    = 1 - smoothing for y, the rest in equal parts for the others

The adversary needs no labels; what he climbs is in `bdlzoo.attacks.transport_loss`.

A network trained so looks robust to PGD, and much less so to attacks on features:
it is here to show that several attacks must agree.

Reference: Zhang and Wang, Defense Against Adversarial Attacks Using Feature
Scattering-based Adversarial Training, NeurIPS 2019.
"""

import keras
import tensorflow as tf

from bdlzoo import attacks as _attacks  # noqa: F401  Known by name.
from bdlzoo.families.attacked_model import AttackedModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class FeatureScattering(AttackedModel):
    """Trains on batches that are moved away from themselves, without labels.

    Args:
        *args: See `AttackedModel`.
        smoothing: Float in [0, 1), share of the other classes in the targets; 0
            with an `epsilon` of 0 is standard training.
        **kwargs: See `AttackedModel`.

    Example:

        model = bdlzoo.methods.FeatureScattering(network, epsilon=0.3)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    def __init__(self, *args, smoothing=0.5, **kwargs):
        super().__init__(*args, **kwargs)
        if not 0 <= smoothing < 1:
            raise ValueError("Expected a share in [0, 1). Received: "
                             f"smoothing={smoothing}")
        self.smoothing = smoothing

    def usual_attack(self):
        return dict(type="PGD", loss="TransportLoss", num_steps=1,
                    step_size=self.epsilon)

    def terms(self, x, attacked, y):
        del x
        outputs = self.outputs(attacked)
        log_probs = tf.nn.log_softmax(outputs)
        true = tf.gather(log_probs, y, batch_dims=1)
        others = tf.reduce_sum(log_probs, axis=-1) - true
        share = self.smoothing / (outputs.shape[-1] - 1)
        return outputs, {"nll": -(1.0 - self.smoothing) * true - share * others}

    def get_config(self):
        return {**super().get_config(), "smoothing": self.smoothing}
