"""Classes whose logits have noise that the network predicts.

    logits, raw = split(outputs),    log sigma = raw, held softly between -7 and 3
    p(y | outputs) = mean over m of softmax(logits + sigma * eps_m)_y,  eps_m ~ N(0, 1)

The noise tempers the loss where labels are random, such as at the borders of objects.
At the ends of its scale a gradient is left: with a hard clamp, a class whose noise
reached the end before its logits were learnt would stay there for ever.
The mean is taken of probabilities, by their logs, as the logarithm of the mean is what
Kendall and Gal maximise. In training every position has noise of its own, new in each
step. Elsewhere the mean over the noise is an integral, computed with points that are
the same for all positions and draws: so draws differ by what the network draws alone,
and predictions of a row do not depend on the batch. Points come in pairs, eps and
-eps, which cancels odd errors.

The entropy of a draw is that of its mean over the noise; it is the uncertainty of the
data. With sigma = 0 this is `Categorical`.

Reference: Kendall and Gal, What Uncertainties Do We Need in Bayesian Deep
Learning for Computer Vision, NeurIPS 2017.
"""

import keras
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.checks import check_count
from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.core.measure import log_mean_of
from bdlzoo.core.positions import check_labelled
from bdlzoo.likelihoods.likelihood import (
    ClassLikelihood,
    check_axes,
    check_classes,
    quick_classes,
)

_FARTHEST = 4.0  # Of a point: exp(4 exp(3)) is a number in float32.
_TINY = 1e-37  # Of a probability, whose log is taken.
_LOWEST, _HIGHEST = -7.0, 3.0  # Of log sigma: beyond, exp and its gradient explode.
_STREAM = 2**48  # Below the key of a draw; layers and draws have smaller numbers.
_POINTS = noise.PREDICT, 2**48  # Of the points of the integral, the same everywhere.


@keras.saving.register_keras_serializable(package="bdlzoo")
class StochasticLogits(ClassLikelihood):
    """Reads outputs `[B, ..., C + 1]` as logits and the log of their noise's scale.

    Targets are class indices `[B, ...]`, or `[B, ..., 1]`.

    Args:
        class_scales: Bool, whether each class has a scale of its own; outputs are then
            `[B, ..., 2 C]`, half of them scales.
        ignore_class: Integer, label of positions that do not count, in training and in
            evaluation, such as 255 for the border of objects; `None` for none.
        num_noise: Integer, points of the integral at prediction, an even number.
        num_train_noise: Integer, draws of the noise in a training step.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        network = bdlzoo.networks.UNet((96, 128, 3), outputs=11 + 1, dropout=0.5)
        MCDropout(network, likelihood=StochasticLogits(ignore_class=11))
    """

    default_metrics = ({"type": "SparseCategoricalAccuracy", "name": "accuracy"},
                       {"type": "ExpectedCalibrationError"}, {"type": "BrierScore"})

    def __init__(self, class_scales=False, ignore_class=None, num_noise=16,
                 num_train_noise=10, **kwargs):
        super().__init__(from_logits=True, **kwargs)
        check_count("num_noise", num_noise)
        check_count("num_train_noise", num_train_noise)
        if num_noise % 2:
            raise ValueError("Expected an even number, since points come in pairs. "
                             f"Received: num_noise={num_noise}")
        self.class_scales = class_scales
        self.ignore_class = ignore_class
        self.num_noise = num_noise
        self.num_train_noise = num_train_noise

    def build(self, output_shape):
        self._num_classes(output_shape[-1])

    def log_prob(self, targets, outputs):
        logits, scales = self.split(outputs)
        labels, counts = self.labels(targets, outputs), self.counts(targets, outputs)
        if counts is not None:  # The ignored label may be no index.
            labels = tf.where(counts, labels, 0)
        if noise.current() is None:
            log_probs = _at(labels, self._log_integral(logits, scales))
        else:
            eps = self._noise(logits)  # [M, S, B, ..., C]
            log_probs = log_mean_of(_at(labels, logits + scales * eps, softmax=True))
        return log_probs if counts is None else tf.where(counts, log_probs, 0.0)

    def prediction(self, draws):
        logits, scales = self.split(draws)
        return ClassPrediction(self._log_integral(logits, scales))

    def split(self, outputs):
        """Logits `[..., C]`, and the scales of their noise, `[..., 1]` or `[..., C]`.

        Args:
            outputs: Outputs `[..., C + 1]`, or `[..., 2 C]`.
        """
        outputs = tf.convert_to_tensor(outputs)
        classes = self._num_classes(outputs.shape[-1])
        below = _HIGHEST - tf.nn.softplus(_HIGHEST - outputs[..., classes:])
        return outputs[..., :classes], tf.exp(
            _LOWEST + tf.nn.softplus(below - _LOWEST))

    def counts(self, targets, outputs):
        if self.ignore_class is None:
            return None
        return tf.not_equal(self.labels(targets, outputs), self.ignore_class)

    def check_targets(self, targets, output_shape):
        classes = self._num_classes(output_shape[-1])
        check_axes(targets, output_shape, (1,))
        check_classes(targets, classes, self.ignore_class)
        if len(output_shape) > 2:
            check_labelled(targets, self.ignore_class)

    def quick_check(self, targets, output_shape):
        right = quick_classes(targets, self._num_classes(output_shape[-1]),
                              self.ignore_class)
        if self.ignore_class is None or len(output_shape) < 3:
            return right
        labelled = tf.not_equal(tf.cast(targets, tf.float64), float(self.ignore_class))
        axes = tuple(range(1, targets.shape.rank))
        return right & tf.reduce_all(tf.reduce_any(labelled, axis=axes))

    def _num_classes(self, size):
        classes = size // 2 if self.class_scales else size - 1
        if classes < 2 or (self.class_scales and size % 2):
            raise ValueError(
                f"Expected outputs for {'2 C' if self.class_scales else 'C + 1'} "
                "numbers, the logits of at least two classes and the scales of their "
                f"noise. Received: {size} outputs, "
                f"class_scales={self.class_scales}")
        return classes

    def _noise(self, logits):
        """Noise of a training step, of each position, `[M, S, B, ..., C]`."""
        half = -(-self.num_train_noise // 2)
        shape = tf.concat([[half], tf.shape(logits)], axis=0)
        key = noise.fold_in(noise.current().key, _STREAM)
        drawn = tf.ensure_shape(noise.coarse_normal(shape, key), [half, *logits.shape])
        return tf.concat([drawn, -drawn], axis=0)[:self.num_train_noise]

    def _log_integral(self, logits, scales):
        """Log of the mean softmax over pairs of points, `[..., C]`."""
        points = noise.normal([-(-self.num_noise // 2), logits.shape[-1]],
                              noise.key(*_POINTS))
        points /= tf.sqrt(tf.reduce_mean(tf.square(points), axis=0))
        points = tf.cast(tf.clip_by_value(points, -_FARTHEST, _FARTHEST), logits.dtype)
        total, pairs = tf.zeros_like(logits), tf.unstack(points)
        # One point after the other, since maps are large; and products in place of
        # sums of logits, since then a pair of points needs a single exponential.
        top = tf.exp(logits - tf.reduce_max(logits, axis=-1, keepdims=True))
        for point in pairs:
            factor = tf.exp(scales * point)
            for noisy in (top * factor, top / factor):
                total += noisy / tf.reduce_sum(noisy, axis=-1, keepdims=True)
        return tf.math.log(tf.maximum(total / (2.0 * len(pairs)), _TINY))

    def get_config(self):
        config = super().get_config()
        del config["from_logits"]
        return {**config, "class_scales": self.class_scales,
                "ignore_class": self.ignore_class, "num_noise": self.num_noise,
                "num_train_noise": self.num_train_noise}


def _at(labels, values, softmax=False):
    """The entries of the last axis at labels `[B, ...]`, `[..., B, ...]`."""
    labels = tf.broadcast_to(labels, tf.shape(values)[:-1])
    if softmax:
        return -tf.nn.sparse_softmax_cross_entropy_with_logits(labels, values)
    return tf.gather(values, labels, axis=-1, batch_dims=len(values.shape) - 1)
