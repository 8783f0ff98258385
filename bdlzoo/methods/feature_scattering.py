"""Feature scattering: the attack moves a whole batch away from itself.

    x'   = one step of epsilon up the cost of transport between f(x) and f(x'), from a
           random start
    loss = mean of -sum_c q_c log p(c | x') + prior
    q    = 1 - smoothing for y, the rest in equal parts for the others

The attack needs no labels; the cost that it increases is in
`bdlzoo.attacks.transport_loss`.

A network trained in this way looks robust to PGD, and is much less robust to attacks
on features: it is an example of why several attacks must agree.

Reference: Zhang and Wang, Defense Against Adversarial Attacks Using Feature
Scattering-based Adversarial Training, NeurIPS 2019.
"""

import keras
import tensorflow as tf

from bdlzoo import attacks as _attacks  # noqa: F401  Known by name.
from bdlzoo.families.attacked_model import AttackedModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class FeatureScattering(AttackedModel):
    """Trains on batches that an attack without labels moves away from themselves.

    Args:
        network: Keras model that classifies; its outputs are logits.
        likelihood: Must be `"categorical"`, or a `bdlzoo.likelihoods.Categorical` that
            reads logits: attacks need them.
        epsilon: Float, radius of the ball of perturbations (largest change of a
            number); 0 is standard training.
        smoothing: Float in [0, 1), share of the other classes in the targets. With 0,
            and an `epsilon` of 0, this is standard training.
        attack: Attack that moves the inputs, without its radius and box, which are the
            model's: a name of `bdlzoo.attacks`, a dictionary with the name under `type`
            and options beside it, or a dictionary of options alone, which change the
            default. `None` is the default, PGD of one step of `epsilon` on the cost of
            transport. Steps grow with the radius in the warm-up.
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

        model = bdlzoo.methods.FeatureScattering(network, epsilon=0.3)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    def __init__(self, network, likelihood="categorical", epsilon=0.3, smoothing=0.5,
                 attack=None, warm_up=1.0, low=0.0, high=1.0, prior_scale=None,
                 num_samples=1, num_train_samples=1, kl_weight=1.0, num_data=None,
                 seed=None, **kwargs):
        super().__init__(
            network, likelihood, epsilon=epsilon, attack=attack, warm_up=warm_up,
            low=low, high=high, prior_scale=prior_scale, num_samples=num_samples,
            num_train_samples=num_train_samples, kl_weight=kl_weight, num_data=num_data,
            seed=seed, **kwargs)
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
