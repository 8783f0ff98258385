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
    candidates,
    chain_diagnostics,
    choice,
    choice_rows,
    curvature,
    detection,
    distribution_shift,
    evaluation,
    explained_rows,
    failure_prediction,
    fold_scores,
    frechet_distance,
    generation,
    influence_functions,
    inverse_curvature,
    loss_surface,
    mahalanobis,
    nngp_regression,
    odin,
    outside_sets,
    pac_bayes,
    perturbation_diversity,
    poisoning,
    position_rows,
    refitting,
    retraining_check,
    robustness,
    row_losses,
    segmentation,
    uncertainty_scores,
    verdict,
)
from bdlzoo.evaluation.active_learning import ActiveLearning, Curve, balanced_rows
from bdlzoo.evaluation.arviz_export import to_arviz
from bdlzoo.evaluation.chain_diagnostics import (
    diagnose,
    effective_size,
    noise_ratio,
    r_hat,
)
from bdlzoo.evaluation.choice import Choice, Rows, Trial
from bdlzoo.evaluation.detection import out_of_distribution
from bdlzoo.evaluation.distribution_shift import mean_over_corruptions
from bdlzoo.evaluation.evaluation import Evaluation, evaluate
from bdlzoo.evaluation.failure_prediction import failure_scores, tcp, tcpr
from bdlzoo.evaluation.generation import generation_scores
from bdlzoo.evaluation.influence_functions import Influence, influence
from bdlzoo.evaluation.loss_surface import LossSurface
from bdlzoo.evaluation.mahalanobis import Mahalanobis
from bdlzoo.evaluation.nngp_regression import ReLUKernel
from bdlzoo.evaluation.odin import choose_epsilon, odin_scores
from bdlzoo.evaluation.pac_bayes import Certificate, certificate
from bdlzoo.evaluation.perturbation_diversity import diversity
from bdlzoo.evaluation.poisoning import Poisoning, poison, suspicion
from bdlzoo.evaluation.refitting import refit
from bdlzoo.evaluation.retraining_check import LeaveOneOut, leave_one_out
from bdlzoo.evaluation.robustness import Robustness
from bdlzoo.evaluation.segmentation import PixelMaps, pixel_maps, segmentation_scores
from bdlzoo.evaluation.uncertainty_scores import judge
from bdlzoo.evaluation.verdict import Verdict

__all__ = ["ActiveLearning", "Certificate", "Choice", "Curve", "Evaluation",
           "Influence", "LeaveOneOut", "LossSurface", "Mahalanobis", "PixelMaps",
           "Poisoning", "ReLUKernel", "Robustness", "Rows", "Trial", "Verdict",
           "acquisition", "active_learning", "adopted", "arviz_export", "balanced_rows",
           "batch_bald", "candidates", "certificate", "chain_diagnostics", "choice",
           "choice_rows", "choose_epsilon", "curvature", "detection", "diagnose",
           "distribution_shift", "diversity", "effective_size", "evaluate",
           "evaluation", "explained_rows", "failure_prediction", "failure_scores",
           "fold_scores", "frechet_distance", "generation", "generation_scores",
           "influence", "influence_functions", "inverse_curvature", "judge",
           "leave_one_out", "loss_surface", "mahalanobis", "mean_over_corruptions",
           "nngp_regression", "noise_ratio", "odin", "odin_scores",
           "out_of_distribution", "outside_sets", "pac_bayes", "perturbation_diversity",
           "pixel_maps", "poison", "poisoning", "position_rows", "r_hat", "refit",
           "refitting", "retraining_check", "robustness", "row_losses", "segmentation",
           "segmentation_scores", "suspicion", "tcp", "tcpr", "to_arviz",
           "uncertainty_scores", "verdict"]
