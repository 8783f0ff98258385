"""Maximum calibration error: the largest gap between confidence and accuracy.

    mce = max over non-empty bins of |accuracy_b - confidence_b|

The bins are those of the expected calibration error. A bin with few rows alone can
decide the value.

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
        name: String, name of the metric in logs.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.

    Example:

        model.compile(optimizer="adam", metrics=[MaximumCalibrationError(10)])
    """

    def __init__(self, num_bins=15, name="mce", **kwargs):
        super().__init__(num_bins, name=name, **kwargs)

    def result(self):
        # An empty bin gives 0 / 0 = 0, which does not change the maximum.
        return ops.max(ops.divide_no_nan(ops.abs(self.gap), self.weight))
