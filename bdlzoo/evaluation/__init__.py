"""Protocols that run on any model of the zoo."""

from bdlzoo.evaluation import (
    acquisition,
    active_learning,
    adopted,
    batch_bald,
    chain_diagnostics,
    detection,
    distribution_shift,
    evaluation,
    failure_prediction,
    fold_scores,
    loss_surface,
    mahalanobis,
    nngp_regression,
    odin,
    outside_sets,
    pac_bayes,
    perturbation_diversity,
    robustness,
    uncertainty_scores,
)

__all__ = ["acquisition", "active_learning", "adopted", "batch_bald",
           "chain_diagnostics", "detection", "distribution_shift", "evaluation",
           "failure_prediction", "fold_scores", "loss_surface", "mahalanobis",
           "nngp_regression", "odin", "outside_sets", "pac_bayes",
           "perturbation_diversity", "robustness", "uncertainty_scores"]
