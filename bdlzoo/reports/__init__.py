"""Plots: functions from arrays to a `matplotlib.figure.Figure`, and reports."""

from bdlzoo.reports.attack_curves import attack_curves
from bdlzoo.reports.bias_variance import bias_variance
from bdlzoo.reports.binary_toy import binary_probability
from bdlzoo.reports.calibration_plot import calibration_plot
from bdlzoo.reports.choice_report import choice_report, choice_table
from bdlzoo.reports.class_maps import class_maps
from bdlzoo.reports.confidence_histogram import confidence_histogram
from bdlzoo.reports.corruption_gallery import corruption_gallery
from bdlzoo.reports.coverage_curve import coverage_curve
from bdlzoo.reports.detection_curves import detection_curves
from bdlzoo.reports.domain_curves import domain_curves
from bdlzoo.reports.doubt_curves import doubt_curves
from bdlzoo.reports.draw_scatter import draw_scatter
from bdlzoo.reports.episode_film import episode_film
from bdlzoo.reports.error_curves import error_curves
from bdlzoo.reports.evidence_curve import evidence_curve
from bdlzoo.reports.feature_plane import feature_plane
from bdlzoo.reports.image_grid import image_grid
from bdlzoo.reports.influential_images import influential_images
from bdlzoo.reports.label_curves import label_curves
from bdlzoo.reports.label_maps import label_maps
from bdlzoo.reports.loss_surface import loss_surface
from bdlzoo.reports.member_curves import member_curves
from bdlzoo.reports.mlflow_tracker import MLflowTracker
from bdlzoo.reports.perturbation_samples import perturbation_samples
from bdlzoo.reports.posterior_panels import posterior_panels
from bdlzoo.reports.predictive_band import predictive_band
from bdlzoo.reports.quality_against_cost import quality_against_cost
from bdlzoo.reports.ranked_images import ranked_images
from bdlzoo.reports.reliability_diagram import reliability_diagram
from bdlzoo.reports.report import Report
from bdlzoo.reports.return_curves import return_curves
from bdlzoo.reports.risk_choices import risk_choices
from bdlzoo.reports.risk_coverage import risk_coverage
from bdlzoo.reports.shift_curves import shift_curves
from bdlzoo.reports.structure_graph import structure_graph
from bdlzoo.reports.structure_heat_map import structure_heat_map
from bdlzoo.reports.tensorboard_tracker import TensorBoardTracker
from bdlzoo.reports.uncertainty_histogram import uncertainty_histogram
from bdlzoo.reports.uncertainty_maps import uncertainty_maps
from bdlzoo.reports.wandb_tracker import WandbTracker
from bdlzoo.reports.width_curves import width_curves
from bdlzoo.reports.write_report import write_report

__all__ = ["MLflowTracker", "Report", "TensorBoardTracker", "WandbTracker",
           "attack_curves", "bias_variance", "binary_probability", "calibration_plot",
           "choice_report", "choice_table", "class_maps", "confidence_histogram",
           "corruption_gallery", "coverage_curve", "detection_curves", "domain_curves",
           "doubt_curves", "draw_scatter", "episode_film", "error_curves",
           "evidence_curve", "feature_plane", "image_grid", "influential_images",
           "label_curves", "label_maps", "loss_surface", "member_curves",
           "perturbation_samples", "posterior_panels", "predictive_band",
           "quality_against_cost", "ranked_images", "reliability_diagram",
           "return_curves", "risk_choices", "risk_coverage", "shift_curves",
           "structure_graph", "structure_heat_map", "uncertainty_histogram",
           "uncertainty_maps", "width_curves", "write_report"]
