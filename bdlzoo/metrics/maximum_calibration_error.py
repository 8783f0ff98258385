"""Largest gap between confidence and accuracy.

    mce = max over non-empty bins of |accuracy_b - confidence_b|

The bins of the expected calibration error. A bin with few rows can decide the
value alone.

Reference: Guo et al., On Calibration of Modern Neural Networks, ICML 2017.
"""

import keras
from keras import ops

from bdlzoo.metrics.classification_metric import ClassificationMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class MaximumCalibrationError(ClassificationMetric):
    """Finds the bin in which accuracy and confidence differ most.

    Args:
        num_bins: Positive integer, number of bins of equal width.
        name: Name of the metric.
        **kwargs: See `keras.metrics.Metric`.
    """

    def __init__(self, num_bins=15, name="mce", **kwargs):
        super().__init__(name=name, **kwargs)
        self.check_count("num_bins", num_bins)
        self.num_bins = num_bins
        self.gap = self.add_variable((num_bins,), "zeros", name="gap")
        self.weight = self.add_variable((num_bins,), "zeros", name="weight")

    def update_state(self, y_true, y_pred, sample_weight=None):
        labels, probabilities, weights = self.read(
            y_true, y_pred, sample_weight)
        confidence, gap = self.confidence_and_gap(labels, probabilities)
        bins = self.bin_of(confidence, self.num_bins)
        self.gap.assign_add(ops.segment_sum(weights * gap, bins, self.num_bins))
        self.weight.assign_add(ops.segment_sum(weights, bins, self.num_bins))

    def result(self):
        # An empty bin gives 0 / 0 = 0, which never is the maximum alone.
        return ops.max(ops.divide_no_nan(ops.abs(self.gap), self.weight))

    def get_config(self):
        return {**super().get_config(), "num_bins": self.num_bins}
