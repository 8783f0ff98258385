"""Largest gap between confidence and accuracy.

    mce = max over non-empty bins of |accuracy_b - confidence_b|

The bins of the expected calibration error. A bin with few rows can decide the
value alone.

Reference: Guo et al., On Calibration of Modern Neural Networks, ICML 2017.
"""

import keras
from keras import ops

from bdlzoo.metrics.binned_metric import BinnedMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class MaximumCalibrationError(BinnedMetric):
    """Finds the bin in which accuracy and confidence differ most.

    Args:
        num_bins: Positive integer, number of bins of equal width.
        name: Name of the metric.
        **kwargs: See `keras.metrics.Metric`.
    """

    def __init__(self, num_bins=15, name="mce", **kwargs):
        super().__init__(num_bins, name=name, **kwargs)

    def result(self):
        # An empty bin gives 0 / 0 = 0, which never is the maximum alone.
        return ops.max(ops.divide_no_nan(ops.abs(self.gap), self.weight))
