"""Base class of metrics with bins of confidence."""

from keras import ops

from bdlzoo.metrics.classification_metric import ClassificationMetric


class BinnedMetric(ClassificationMetric):
    """Adds up, for each bin, the weights of rows and their gaps.

    The gap of a row is 1 minus its confidence if it is right, and minus its confidence
    if it is wrong.

    Args:
        num_bins: Positive integer, number of bins.
        num_cells: Positive integer, number of cells of equal width that are counted;
            `None` counts in the bins themselves.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.
    """

    def __init__(self, num_bins, num_cells=None, **kwargs):
        super().__init__(**kwargs)
        self.check_count("num_bins", num_bins)
        self.num_bins = num_bins
        self.num_cells = num_cells or num_bins
        self.gap = self.add_variable((self.num_cells,), "zeros", name="gap")
        self.weight = self.add_variable((self.num_cells,), "zeros", name="weight")

    def update_state(self, y_true, y_pred, sample_weight=None):
        labels, probabilities, weights = self.read(
            y_true, y_pred, sample_weight)
        confidence, gap = self.confidence_and_gap(labels, probabilities)
        cells = self.bin_of(confidence, self.num_cells)
        self.gap.assign_add(ops.segment_sum(weights * gap, cells, self.num_cells))
        self.weight.assign_add(ops.segment_sum(weights, cells, self.num_cells))

    def get_config(self):
        return {**super().get_config(), "num_bins": self.num_bins}
