"""Classwise calibration error: calibration of the probability of every class.

    classwise_ece = mean over classes c of sum over bins of
                    n_bc / n * |frequency_bc - probability_bc|

Bin b of class c holds all rows whose probability of c falls into it.

Reference: Kull et al., Beyond Temperature Scaling, NeurIPS 2019; Nixon et al.,
Measuring Calibration in Deep Learning, CVPR Workshops 2019 (static error).
"""

import keras
import numpy as np
from keras import ops

from bdlzoo.metrics.classification_metric import ClassificationMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class ClasswiseCalibrationError(ClassificationMetric):
    """Averages the calibration errors of the class probabilities.

    Args:
        num_classes: Positive integer, number of classes; 2 if `y_pred` is the
            probability of class 1.
        num_bins: Positive integer, number of bins of equal width.
        name: String, name of the metric in logs.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.

    Example:

        model.compile(optimizer="adam", metrics=[ClasswiseCalibrationError(10)])
    """

    def __init__(self, num_classes, num_bins=15, name="classwise_ece", **kwargs):
        super().__init__(name=name, **kwargs)
        self.check_count("num_classes", num_classes)
        self.check_count("num_bins", num_bins)
        self.num_classes = num_classes
        self.num_bins = num_bins
        # The bins of class c begin at c * num_bins.
        self.gap = self.add_variable(
            (num_classes * num_bins,), "zeros", name="gap")
        self.total = self.add_variable((), "zeros", name="total")

    def update_state(self, y_true, y_pred, sample_weight=None):
        labels, probabilities, weights = self.read(
            y_true, y_pred, sample_weight)
        if probabilities.shape[-1] != self.num_classes:
            raise ValueError(
                "Expected one probability per class. Received: num_classes="
                f"{self.num_classes}, y_pred with {probabilities.shape[-1]} "
                "columns. Set `num_classes` to the number of columns.")
        targets = ops.one_hot(labels, self.num_classes, dtype=self.dtype)
        gap = ops.expand_dims(weights, -1) * (targets - probabilities)  # [B, C]
        first = self.num_bins * np.arange(self.num_classes, dtype="int32")
        bins = first + self.bin_of(probabilities, self.num_bins)  # [B, C]
        self.gap.assign_add(ops.segment_sum(
            ops.reshape(gap, (-1,)), ops.reshape(bins, (-1,)),
            self.num_classes * self.num_bins))
        self.total.assign_add(ops.sum(weights))

    def result(self):
        return ops.divide_no_nan(
            ops.sum(ops.abs(self.gap)), self.num_classes * self.total)

    def get_config(self):
        return {**super().get_config(), "num_classes": self.num_classes,
                "num_bins": self.num_bins}
