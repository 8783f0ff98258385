"""Prediction of real numbers by one Gaussian, whose variance has two known parts.

    p(y | x) = N(mean, epistemic + aleatoric)

It takes the place of a mixture of draws if the moments are known without them.
"""

import tensorflow as tf

from bdlzoo.core.measure import measure
from bdlzoo.core.regression_prediction import RegressionPrediction


class GaussianPrediction(RegressionPrediction):
    """Prediction of real numbers by a Gaussian.

    Args:
        means: Mean, `[1, B, ..., D]`.
        variances: Variance of the prediction, `[1, B, ..., D]`.
        threshold: Half width of the conformal interval in standard deviations,
            `[D]`, or `None`.
        epistemic: Part of the variance that more data would remove, `[B, ..., D]`;
            `None` for none.
    """

    def __init__(self, means, variances, threshold=None, epistemic=None):
        super().__init__(means, variances, threshold)
        self._epistemic = tf.zeros_like(self.variances[0]) if epistemic is None else (
            tf.convert_to_tensor(epistemic))

    @measure
    def epistemic(self):
        """Variance of the mean: what more data would remove."""
        return self._epistemic

    @measure
    def aleatoric(self):
        """The rest of the variance: the noise in the data."""
        return self.variances[0] - self._epistemic

    def rows(self):
        """The same prediction with all positions as rows, `[1, N, D]`."""
        flat = super().rows()
        return flat if flat is self else self._with(flat, tf.reshape(
            self._epistemic, [-1, self._epistemic.shape[-1]]))

    def taken(self, rows):
        """The same prediction of some rows, given by their places `[K]`."""
        return self._with(super().taken(rows), tf.gather(self._epistemic, rows))

    def tempered(self, temperature):
        """Stretches the Gaussian about its mean; variances grow by T squared."""
        factor = tf.cast(temperature, self._epistemic.dtype)**2
        return self._with(super().tempered(temperature), factor * self._epistemic)

    def with_interval(self, threshold):
        """The same Gaussian, with its conformal interval."""
        return self._with(super().with_interval(threshold), self._epistemic)

    @classmethod
    def joined(cls, parts):
        """One prediction of the rows of several."""
        joined = RegressionPrediction.joined(parts)
        return cls(joined.means, joined.variances, joined._threshold,
                   tf.concat([part._epistemic for part in parts], axis=0))

    def _with(self, changed, epistemic):
        return type(self)(changed.means, changed.variances, changed._threshold,
                          epistemic)
