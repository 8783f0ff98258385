"""Streaming metrics of predictive distributions, for any Keras model."""

from bdlzoo.metrics.adaptive_calibration_error import AdaptiveCalibrationError
from bdlzoo.metrics.brier_score import BrierScore
from bdlzoo.metrics.classwise_calibration_error import ClasswiseCalibrationError
from bdlzoo.metrics.crps import CRPS
from bdlzoo.metrics.expected_calibration_error import ExpectedCalibrationError
from bdlzoo.metrics.interval_coverage import IntervalCoverage
from bdlzoo.metrics.interval_width import IntervalWidth
from bdlzoo.metrics.maximum_calibration_error import MaximumCalibrationError
from bdlzoo.metrics.negative_log_likelihood import NegativeLogLikelihood
from bdlzoo.metrics.r2 import R2

__all__ = [
    "AdaptiveCalibrationError",
    "BrierScore",
    "CRPS",
    "ClasswiseCalibrationError",
    "ExpectedCalibrationError",
    "IntervalCoverage",
    "IntervalWidth",
    "MaximumCalibrationError",
    "NegativeLogLikelihood",
    "R2",
]
