"""Plots: functions from arrays to a `matplotlib.figure.Figure`."""

from bdlzoo.reports.binary_toy import binary_probability
from bdlzoo.reports.draw_scatter import draw_scatter
from bdlzoo.reports.error_curves import error_curves
from bdlzoo.reports.evidence_curve import evidence_curve
from bdlzoo.reports.predictive_band import predictive_band
from bdlzoo.reports.ranked_images import ranked_images
from bdlzoo.reports.reliability_diagram import reliability_diagram
from bdlzoo.reports.uncertainty_histogram import uncertainty_histogram

__all__ = ["binary_probability", "draw_scatter", "error_curves",
           "evidence_curve", "predictive_band", "ranked_images",
           "reliability_diagram", "uncertainty_histogram"]
