"""Adaptive calibration error: confidence and accuracy in bins of equal mass.

    adaptive_ece = 1 / M * sum over bins of |accuracy_b - confidence_b|

Bin b holds the b-th of M equal shares of the rows, ordered by confidence.

Rows come batch by batch and cannot be sorted. So they are counted in 4096 cells of
equal width, closed on the right, and the bins are made from these cells. A cell on
the edge of two bins is divided in proportion, as if its rows were in random order.
Compared with a sort of all N rows into M parts, the value differs by at most
`2 (M - 1) (w + M / 4) / N`. Here `w` is the number of rows in the fullest cell on an
edge, and the term `M / 4` is needed if M does not divide N. In practice the difference
is below 1e-3 for thousands of rows, even if most rows are in the last cell, because
the gaps there have the same sign. Rows of equal confidence, which a sort would put
into bins by chance, are divided evenly.

Reference: Nguyen and O'Connor, Posterior Calibration and Exploratory Analysis
for NLP Models, EMNLP 2015.
"""

import keras
import numpy as np
from keras import ops

from bdlzoo.metrics.binned_metric import BinnedMetric

_NUM_CELLS = 4096


@keras.saving.register_keras_serializable(package="bdlzoo")
class AdaptiveCalibrationError(BinnedMetric):
    """Averages `|accuracy - confidence|` over bins with equally many rows.

    Args:
        num_bins: Positive integer, number of bins of equal mass.
        name: String, name of the metric in logs.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.

    Example:

        model.compile(optimizer="adam", metrics=[AdaptiveCalibrationError(10)])
    """

    def __init__(self, num_bins=15, name="adaptive_ece", **kwargs):
        super().__init__(num_bins, _NUM_CELLS, name=name, **kwargs)

    def result(self):
        weight = ops.convert_to_tensor(self.weight)
        last = ops.cumsum(weight)  # Rows up to the end of each cell.
        total = last[-1]
        edges = total * np.linspace(0.0, 1.0, self.num_bins + 1)[:, None]
        inside = (ops.minimum(last, edges[1:])
                  - ops.maximum(last - weight, edges[:-1]))
        share = ops.divide_no_nan(ops.maximum(inside, 0.0), weight)
        gap = ops.matmul(share, ops.convert_to_tensor(self.gap))  # [M]
        return ops.divide_no_nan(ops.sum(ops.abs(gap)), total)
