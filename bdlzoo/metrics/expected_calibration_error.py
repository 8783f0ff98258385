"""Gap between confidence and accuracy.

    ece = sum over bins of n_b / n * |accuracy_b - confidence_b|

Bins have equal width and are closed on the right. The value depends on their
number and is not proper: read it beside the likelihood.

Reference: Guo et al., On Calibration of Modern Neural Networks, ICML 2017.
"""

import keras
from keras import ops

from bdlzoo.metrics.classification_metric import ClassificationMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class ExpectedCalibrationError(ClassificationMetric):
    """Averages `|accuracy - confidence|` over bins, weighted by their size.

    Args:
        num_bins: Positive integer, number of bins of equal width.
        name: Name of the metric.
        **kwargs: See `keras.metrics.Metric`.
    """

    def __init__(self, num_bins=15, name="ece", **kwargs):
        super().__init__(name=name, **kwargs)
        self.check_count("num_bins", num_bins)
        self.num_bins = num_bins
        # The count cancels: sum_b n_b/n * |hits_b/n_b - conf_b/n_b|.
        self.gap = self.add_variable((num_bins,), "zeros", name="gap")
        self.total = self.add_variable((), "zeros", name="total")

    def update_state(self, y_true, y_pred, sample_weight=None):
        labels, probabilities, weights = self.read(
            y_true, y_pred, sample_weight)
        confidence, gap = self.confidence_and_gap(labels, probabilities)
        bins = self.bin_of(confidence, self.num_bins)
        self.gap.assign_add(ops.segment_sum(weights * gap, bins, self.num_bins))
        self.total.assign_add(ops.sum(weights))

    def result(self):
        return ops.divide_no_nan(ops.sum(ops.abs(self.gap)), self.total)

    def get_config(self):
        return {**super().get_config(), "num_bins": self.num_bins}
