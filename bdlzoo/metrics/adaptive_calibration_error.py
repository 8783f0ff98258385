"""Gap between confidence and accuracy in bins of equal mass.

    adaptive_ece = 1 / M * sum over bins of |accuracy_b - confidence_b|

Bin b holds the b-th of M equal shares of the rows, ordered by confidence.

A stream cannot sort what it has not seen. So rows are counted in 4096 cells of
equal width, closed on the right, and the bins are cut from these; a cell on an
edge is shared out in proportion, as if its rows lay in random order. Against a
sort of all N rows, split into M parts, the value is off by at most
`2 (M - 1) (w + M / 4) / N`, with `w` the rows of the fullest cell on an edge and
`M / 4` for an N that M does not divide. In practice by far less: for thousands
of rows below 1e-3, also where most crowd into the last cell, since the gaps
there have one sign. Equal confidences, which a sort puts into bins by accident,
are split evenly.

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
        name: Name of the metric.
        **kwargs: See `keras.metrics.Metric`.
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
