"""Score function: losses of draws times the gradient of their log-probability.

    gradient = (loss(z) - baseline) d log q(z) / d potentials,    z ~ q

It needs one loss a draw, and has no bias. Its variance grows with the loss itself: a
baseline that does not depend on the draw takes the common part of the losses away.

Reference: Williams, Simple Statistical Gradient-Following Algorithms, Machine Learning
1992; Kool, van Hoof and Welling, Buy 4 REINFORCE Samples, Get a Baseline for Free!,
2019 (the mean of the other draws).
"""

import math

import keras
import tensorflow as tf

from bdlzoo.estimators.estimator import Estimator, hardened, perturbed, with_gradient

_WORDS = ("draws", "rows")


@keras.saving.register_keras_serializable(package="bdlzoo")
class ScoreFunction(Estimator):
    """Weighs the gradient of the log-probability of draws by their losses.

    Args:
        baseline: What is taken from the losses: a number; `"rows"`, the mean loss of
            the other rows of the batch; or `"draws"`, the mean loss of the other
            draws of a row, which needs two draws or more.

    Example:

        estimator = bdlzoo.estimators.ScoreFunction(baseline="rows")
        loss = tf.reduce_mean(estimator(potentials, loss_of, key))
    """

    def __init__(self, baseline="rows"):
        number = isinstance(baseline, (int, float)) and not isinstance(baseline, bool)
        if baseline not in _WORDS and not (number and math.isfinite(baseline)):
            raise ValueError('Expected a finite number, "rows" or "draws". Received: '
                             f"baseline={baseline!r}")
        self.baseline = baseline

    def __call__(self, potentials, loss, key, step=0, num_samples=1):
        if self.baseline == "draws" and num_samples < 2:
            raise ValueError('Expected two draws or more with baseline="draws": take '
                             "more of them, or another baseline. Received: "
                             f"num_samples={num_samples}")
        codes = hardened(tf.stop_gradient(perturbed(potentials, key, num_samples)))
        losses = loss(codes)  # [S, B]
        gain = tf.stop_gradient(losses - self._baseline(tf.stop_gradient(losses)))
        # Of log q: the code minus its mean.
        slopes = codes - tf.nn.softmax(potentials)
        slopes = tf.reduce_mean(gain[..., None, None] * slopes, axis=0)
        return with_gradient(tf.reduce_mean(losses, axis=0), potentials, slopes)

    def _baseline(self, losses):
        if self.baseline not in _WORDS:
            return self.baseline
        axis = _WORDS.index(self.baseline)
        others = tf.cast(tf.shape(losses)[axis] - 1, losses.dtype)
        rest = tf.reduce_sum(losses, axis=axis, keepdims=True) - losses
        return tf.math.divide_no_nan(rest, others)  # A row alone has none.

    def get_config(self):
        return {"baseline": self.baseline}
