"""Classes whose logits have noise that the network predicts.

    logits, raw = split(outputs),    sigma = exp(clip(raw, -7, 3))
    p(y | outputs) = mean over m of softmax(logits + sigma * eps_m)_y,  eps_m ~ N(0, 1)

The noise tempers the loss where labels are random, such as at the borders of objects.
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

import math

import keras
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.checks import check_count
from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.core.positions import check_labelled
from bdlzoo.likelihoods.likelihood import (
    ClassLikelihood,
    check_axes,
    check_classes,
    quick_classes,
)

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
        num_noise: Integer, points of the integral at prediction.
        num_train_noise: Integer, draws of the noise in a training step.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        network = bdlzoo.networks.UNet((96, 128, 3), outputs=11 + 1, dropout=0.5)
        MCDropout(network, likelihood=StochasticLogits(ignore_class=11))
    """

    default_metrics = ({"type": "SparseCategoricalAccuracy", "name": "accuracy"},
                       {"type": "ExpectedCalibrationError"}, {"type": "BrierScore"})

    def __init__(self, class_scales=False, ignore_class=None, num_noise=32,
                 num_train_noise=10, **kwargs):
        super().__init__(from_logits=True, **kwargs)
        check_count("num_noise", num_noise)
        check_count("num_train_noise", num_train_noise)
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
        log_probs = self._log_mean(lambda noisy: (
            -tf.nn.sparse_softmax_cross_entropy_with_logits(
                tf.broadcast_to(labels, tf.shape(noisy)[:-1]), noisy)),
            logits, scales, self._noise(logits))
        return log_probs if counts is None else tf.where(counts, log_probs, 0.0)

    def prediction(self, draws):
        logits, scales = self.split(draws)
        return ClassPrediction(self._log_mean(
            tf.nn.log_softmax, logits, scales, self._points(logits.shape)))

    def split(self, outputs):
        """Logits `[..., C]`, and the scales of their noise, `[..., 1]` or `[..., C]`.

        Args:
            outputs: Outputs `[..., C + 1]`, or `[..., 2 C]`.
        """
        outputs = tf.convert_to_tensor(outputs)
        classes = self._num_classes(outputs.shape[-1])
        raw = tf.clip_by_value(outputs[..., classes:], _LOWEST, _HIGHEST)
        return outputs[..., :classes], tf.exp(raw)

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

    def _log_mean(self, log_probs_of, logits, scales, points):
        """Log of the mean over points of the noise; `log_probs_of` noisy logits."""
        found = log_probs_of(logits + scales * points)  # [M, S, B, ...]
        return tf.reduce_logsumexp(found, axis=0) - math.log(points.shape[0])

    def _noise(self, logits):
        """Noise of a training step, of each position; outside of a scope the points."""
        draw = noise.current()
        if draw is None:
            return self._points(logits.shape)
        half = -(-self.num_train_noise // 2)
        shape = tf.concat([[half], tf.shape(logits)], axis=0)
        key = noise.fold_in(draw.key, _STREAM)
        return _paired(tf.ensure_shape(
            noise.coarse_normal(shape, key), [half, *logits.shape]),
            self.num_train_noise)

    def _points(self, shape):
        """Points of the integral, `[M, 1, ..., C]`, each axis of variance 1."""
        half = -(-self.num_noise // 2)
        points = noise.normal([half, shape[-1]], noise.key(*_POINTS))
        points /= tf.sqrt(tf.reduce_mean(tf.square(points), axis=0))
        ones = [1] * (len(shape) - 1)
        return _paired(tf.reshape(points, [half, *ones, shape[-1]]), self.num_noise)

    def get_config(self):
        config = super().get_config()
        del config["from_logits"]
        return {**config, "class_scales": self.class_scales,
                "ignore_class": self.ignore_class, "num_noise": self.num_noise,
                "num_train_noise": self.num_train_noise}


def _paired(noise, count):
    """The noise and its mirror image, `count` of both in all."""
    return tf.concat([noise, -noise], axis=0)[:count]
