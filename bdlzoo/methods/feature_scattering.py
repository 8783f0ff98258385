"""Feature scattering: a batch is moved away from itself as a whole.

    x'   = project(x_0 + epsilon sign(grad sum_ij P_ij C_ij)),  x_0 uniform in the ball
    C_ij = max(0, 1 - cos(f(x_i), f(x'_j)))                     f the logits
    P    = the optimal transport of C between the two batches (Sinkhorn)
    loss = mean of -sum_c q_c log p(c | x') + prior
    q    = 1 - smoothing for y, the rest in equal parts for the others

The adversary needs no labels, and moves one row with regard to all others. The plan
is fixed where the cost is differentiated, as its optimality allows. The paper speaks
of features, its release takes logits; so do we.

A network trained so looks robust to PGD, and much less so to attacks on features:
it is here to show that several attacks must agree.

Reference: Zhang and Wang, Defense Against Adversarial Attacks Using Feature
Scattering-based Adversarial Training, NeurIPS 2019.
"""

import keras
import tensorflow as tf

from bdlzoo.core import noise, sinkhorn
from bdlzoo.model.adversarial_model import AdversarialModel, Attacked, check_number


@keras.saving.register_keras_serializable(package="bdlzoo")
class FeatureScattering(AdversarialModel):
    """Trains on batches that are moved away from themselves, without labels.

    Args:
        *args: See `AdversarialModel`.
        smoothing: Float in [0, 1), share of the other classes in the targets; 0
            with an `epsilon` of 0 is standard training.
        regularizer: Float, weight of the entropy of the transport.
        num_steps: Integer, turns of Sinkhorn at most.
        **kwargs: See `AdversarialModel`.

    Example:

        model = bdlzoo.methods.FeatureScattering(network, epsilon=0.3)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    def __init__(self, *args, smoothing=0.5, regularizer=0.01, num_steps=100,
                 **kwargs):
        super().__init__(*args, **kwargs)
        if not 0 <= smoothing < 1:
            raise ValueError("Expected a share in [0, 1). Received: "
                             f"smoothing={smoothing}")
        check_number("regularizer", regularizer, 0.0, above=True)
        check_number("num_steps", num_steps, 1)
        self.smoothing = smoothing
        self.regularizer = regularizer
        self.num_steps = num_steps

    def attacked(self, ball, y, key):
        del y  # The adversary does without.
        clean = tf.stop_gradient(self.logits(ball.center))

        def gain(x):
            cost = cosine_cost(clean, self.logits(x))
            plan = sinkhorn.plan(cost, self.regularizer, self.num_steps)
            return tf.reduce_sum(plan * cost)

        return Attacked(ball.ascend(gain, ball.uniform(key), ball.radius, 1))

    def terms(self, x, attacked, y):
        del x
        outputs = self.outputs(attacked)
        log_probs = tf.nn.log_softmax(outputs)
        true = tf.gather(log_probs, y, batch_dims=1)
        others = tf.reduce_sum(log_probs, axis=-1) - true
        share = self.smoothing / (outputs.shape[-1] - 1)
        return outputs, {"nll": -(1.0 - self.smoothing) * true - share * others}

    def get_config(self):
        return {**super().get_config(), "smoothing": self.smoothing,
                "regularizer": self.regularizer, "num_steps": self.num_steps}


def cosine_cost(first, second):
    """`max(0, 1 - cosine)` between all rows of two batches, `[m, n]`."""
    first, second = (tf.math.l2_normalize(rows, axis=-1) for rows in (first, second))
    return tf.nn.relu(1.0 - tf.matmul(first, second, transpose_b=True))
