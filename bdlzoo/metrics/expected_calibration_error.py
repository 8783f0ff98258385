"""Expected calibration error: the gap between confidence and accuracy.

    ece = sum over bins of n_b / n * |accuracy_b - confidence_b|

Bins have equal width and are closed on the right. The value depends on the number of
bins and is no proper score: read it together with the likelihood.

Reference: Guo et al., On Calibration of Modern Neural Networks, ICML 2017.
"""

import keras
from keras import ops

from bdlzoo.metrics.binned_metric import BinnedMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class ExpectedCalibrationError(BinnedMetric):
    """Averages `|accuracy - confidence|` over bins, weighted by their size.

    Args:
        num_bins: Positive integer, number of bins of equal width.
        name: String, name of the metric in logs.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.

    Example:

        model.compile(optimizer="adam", metrics=[ExpectedCalibrationError(10)])
    """

    def __init__(self, num_bins=15, name="ece", **kwargs):
        super().__init__(num_bins, name=name, **kwargs)

    def result(self):
        # The count cancels: sum_b n_b/n * |hits_b/n_b - conf_b/n_b|.
        return ops.divide_no_nan(
            ops.sum(ops.abs(self.gap)), ops.sum(self.weight))
