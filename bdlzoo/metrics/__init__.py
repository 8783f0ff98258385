"""Metrics of predictions for any Keras model, and of the ranking of rows."""

from bdlzoo.metrics.adaptive_calibration_error import AdaptiveCalibrationError
from bdlzoo.metrics.bootstrap import bootstrap, paired_bootstrap
from bdlzoo.metrics.brier_score import BrierScore
from bdlzoo.metrics.classwise_calibration_error import ClasswiseCalibrationError
from bdlzoo.metrics.crps import CRPS
from bdlzoo.metrics.cwce import CWCE
from bdlzoo.metrics.epiw import EPIW
from bdlzoo.metrics.expected_calibration_error import ExpectedCalibrationError
from bdlzoo.metrics.intersection_over_union import (
    confusion_matrix,
    intersection_over_union,
)
from bdlzoo.metrics.interval_coverage import IntervalCoverage
from bdlzoo.metrics.interval_width import IntervalWidth
from bdlzoo.metrics.maximum_calibration_error import MaximumCalibrationError
from bdlzoo.metrics.negative_log_likelihood import NegativeLogLikelihood
from bdlzoo.metrics.pavpu import pavpu
from bdlzoo.metrics.poisson_deviance import PoissonDeviance
from bdlzoo.metrics.r2 import R2
from bdlzoo.metrics.r_cwce import RCWCE
from bdlzoo.metrics.ranking import (
    ap_errors,
    ap_success,
    aupr_negative,
    aupr_positive,
    aurc,
    auroc,
    coverage_at_risk,
    e_aurc,
    fpr_at_tpr,
    risk_coverage,
)

__all__ = [
    "AdaptiveCalibrationError",
    "BrierScore",
    "CRPS",
    "CWCE",
    "ClasswiseCalibrationError",
    "EPIW",
    "ExpectedCalibrationError",
    "IntervalCoverage",
    "IntervalWidth",
    "MaximumCalibrationError",
    "NegativeLogLikelihood",
    "PoissonDeviance",
    "R2",
    "RCWCE",
    "ap_errors",
    "ap_success",
    "aupr_negative",
    "aupr_positive",
    "aurc",
    "auroc",
    "bootstrap",
    "confusion_matrix",
    "coverage_at_risk",
    "e_aurc",
    "fpr_at_tpr",
    "intersection_over_union",
    "paired_bootstrap",
    "pavpu",
    "risk_coverage",
]
