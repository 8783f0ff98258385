"""Protocols that run on any model of the zoo.

Names of functions and classes stand here, but for a function with the name of its
module, such as `detection.detection`: the name is the module's.
"""

from bdlzoo.evaluation import (
    acquisition,
    active_learning,
    adopted,
    arviz_export,
    batch_bald,
    chain_diagnostics,
    detection,
    distribution_shift,
    evaluation,
    failure_prediction,
    fold_scores,
    frechet_distance,
    generation,
    loss_surface,
    mahalanobis,
    nngp_regression,
    odin,
    outside_sets,
    pac_bayes,
    perturbation_diversity,
    position_rows,
    robustness,
    uncertainty_scores,
)
from bdlzoo.evaluation.active_learning import ActiveLearning, Curve, balanced_rows
from bdlzoo.evaluation.arviz_export import to_arviz
from bdlzoo.evaluation.chain_diagnostics import (
    diagnose,
    effective_size,
    noise_ratio,
    r_hat,
)
from bdlzoo.evaluation.detection import out_of_distribution
from bdlzoo.evaluation.distribution_shift import mean_over_corruptions
from bdlzoo.evaluation.evaluation import Evaluation, evaluate
from bdlzoo.evaluation.failure_prediction import failure_scores, tcp, tcpr
from bdlzoo.evaluation.generation import generation_scores
from bdlzoo.evaluation.loss_surface import LossSurface
from bdlzoo.evaluation.mahalanobis import Mahalanobis
from bdlzoo.evaluation.nngp_regression import ReLUKernel
from bdlzoo.evaluation.odin import choose_epsilon, odin_scores
from bdlzoo.evaluation.pac_bayes import Certificate, certificate
from bdlzoo.evaluation.perturbation_diversity import diversity
from bdlzoo.evaluation.robustness import Robustness
from bdlzoo.evaluation.uncertainty_scores import judge

__all__ = ["ActiveLearning", "Certificate", "Curve", "Evaluation", "LossSurface",
           "Mahalanobis", "ReLUKernel", "Robustness", "acquisition", "active_learning",
           "adopted", "arviz_export", "balanced_rows", "batch_bald", "certificate",
           "chain_diagnostics", "choose_epsilon", "detection", "diagnose",
           "distribution_shift", "diversity", "effective_size", "evaluate",
           "evaluation", "failure_prediction", "failure_scores", "fold_scores",
           "frechet_distance", "generation", "generation_scores", "judge",
           "loss_surface", "mahalanobis", "mean_over_corruptions",
           "nngp_regression", "noise_ratio", "odin", "odin_scores",
           "out_of_distribution", "outside_sets", "pac_bayes",
           "perturbation_diversity", "position_rows", "r_hat", "robustness", "tcp",
           "tcpr", "to_arviz", "uncertainty_scores"]
