"""TRADES: the boundary is pushed away from the data, and the data stay in it.

    loss = mean of -log p(y | x) + beta KL(p(. | x) || p(. | x')) + prior
    x'   : num_steps of x' <- project(x' + step_size sign(grad KL(p(. | x) || p(. | x'))))
           from x + 0.001 N(0, 1); p(. | x) is constant there

Labels are fitted on the clean inputs, and the adversary needs none: he looks for the
place where the prediction differs most. In the loss the gradient flows through both
sides of the divergence.

Reference: Zhang et al., Theoretically Principled Trade-off between Robustness and
Accuracy, ICML 2019.
"""

import keras
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.model.adversarial_model import (
    AdversarialModel,
    Attacked,
    check_number,
    cross_entropy,
)

_START = 1e-3  # Scale of the noise at the start: at x itself there is no slope.


@keras.saving.register_keras_serializable(package="bdlzoo")
class TRADES(AdversarialModel):
    """Trains on clean inputs, and keeps predictions even around them.

    Args:
        *args: See `AdversarialModel`.
        beta: Float, weight of the divergence; 0 is standard training.
        step_size: Float, length of a step of the adversary; `None` is a quarter of
            `epsilon`. It grows with the radius in the warm-up.
        num_steps: Integer, his steps.
        **kwargs: See `AdversarialModel`.

    Example:

        model = bdlzoo.methods.TRADES(network, epsilon=0.3, beta=6.0)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    log_names = ("loss", "nll", "kl", "divergence")

    def __init__(self, *args, beta=6.0, step_size=None, num_steps=10, **kwargs):
        super().__init__(*args, **kwargs)
        check_number("beta", beta, 0.0)
        check_number("step_size", 1.0 if step_size is None else step_size, 0.0,
                     above=True)
        check_number("num_steps", num_steps, 1)
        self.beta = beta
        self.step_size = step_size
        self.num_steps = num_steps

    def attacked(self, ball, y, key):
        del y  # The adversary does without.
        clean = tf.stop_gradient(self.logits(ball.center))
        start = ball.center + _START * noise.normal(tf.shape(ball.center), key)
        # Of the radius at the end, so that it has its share in the warm-up.
        length = (self.step_size or self.epsilon / 4) * ball.radius / self.epsilon
        return Attacked(ball.ascend(
            lambda x: tf.reduce_sum(divergence(clean, self.logits(x))), start, length,
            self.num_steps))

    def terms(self, x, attacked, y):
        outputs = self.outputs(x)
        gap = divergence(outputs, self.outputs(attacked))
        return outputs, {"nll": cross_entropy(outputs, y),
                         "divergence": self.beta * gap}

    def get_config(self):
        return {**super().get_config(), "beta": self.beta,
                "step_size": self.step_size, "num_steps": self.num_steps}


def divergence(first, second):
    """`KL(softmax(first) || softmax(second))` of logits `[B, C]`, `[B]`."""
    log_first, log_second = map(tf.nn.log_softmax, (first, second))
    return tf.reduce_sum(tf.exp(log_first) * (log_first - log_second), axis=-1)
