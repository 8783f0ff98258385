"""The zoo: one file a method."""

from bdlzoo.methods.adversarial_distributional_training import (
    AdversarialDistributionalTraining,
)
from bdlzoo.methods.adversarial_posterior_distillation import (
    AdversarialPosteriorDistillation,
)
from bdlzoo.methods.adversarial_training import AdversarialTraining
from bdlzoo.methods.alp import ALP
from bdlzoo.methods.alpha_divergence_dropout import AlphaDivergenceDropout
from bdlzoo.methods.bayes_adapter import BayesAdapter
from bdlzoo.methods.bayesian_dark_knowledge import BayesianDarkKnowledge
from bdlzoo.methods.cat import CAT
from bdlzoo.methods.confid_net import ConfidNet
from bdlzoo.methods.cross_entropy_method import CrossEntropyMethod
from bdlzoo.methods.cyclical_sgmcmc import CyclicalSGMCMC
from bdlzoo.methods.dbsn import DBSN
from bdlzoo.methods.deep_ensemble import DeepEnsemble
from bdlzoo.methods.degp import DEGP
from bdlzoo.methods.deterministic import Deterministic
from bdlzoo.methods.direct_policy_gradient import DirectPolicyGradient
from bdlzoo.methods.discrete_vae import DiscreteVAE
from bdlzoo.methods.dropout_q_network import DropoutQNetwork
from bdlzoo.methods.epsilon_greedy import EpsilonGreedy
from bdlzoo.methods.feature_scattering import FeatureScattering
from bdlzoo.methods.laplace import Laplace
from bdlzoo.methods.mc_dropout import MCDropout
from bdlzoo.methods.mcd import MCD
from bdlzoo.methods.mean_field_vi import MeanFieldVI
from bdlzoo.methods.mean_teacher import MeanTeacher
from bdlzoo.methods.mstn import MSTN
from bdlzoo.methods.pac_bayes import PACBayes
from bdlzoo.methods.pi_model import PiModel
from bdlzoo.methods.posterior_q_network import PosteriorQNetwork
from bdlzoo.methods.preconditioned_sgld import PreconditionedSGLD
from bdlzoo.methods.reinforce import Reinforce
from bdlzoo.methods.rev_grad import RevGrad
from bdlzoo.methods.robust_rev_grad import RobustRevGrad
from bdlzoo.methods.sde_hnn import SDEHNN
from bdlzoo.methods.sde_net import SDENet
from bdlzoo.methods.semi_supervised_vae import SemiSupervisedVAE
from bdlzoo.methods.sghmc import SGHMC
from bdlzoo.methods.sgld import SGLD
from bdlzoo.methods.source_only import SourceOnly
from bdlzoo.methods.structured_gan import StructuredGAN
from bdlzoo.methods.structured_vae import StructuredVAE
from bdlzoo.methods.swag import SWAG
from bdlzoo.methods.temporal_ensembling import TemporalEnsembling
from bdlzoo.methods.trades import TRADES
from bdlzoo.methods.vada import VADA
from bdlzoo.methods.vae import VAE
from bdlzoo.methods.vbll import VBLL

__all__ = ["ALP", "CAT", "DBSN", "DEGP", "MCD", "MSTN", "SDEHNN", "SGHMC", "SGLD",
           "SWAG", "TRADES", "VADA", "VAE", "VBLL", "AdversarialDistributionalTraining",
           "AdversarialPosteriorDistillation", "AdversarialTraining",
           "AlphaDivergenceDropout", "BayesAdapter", "BayesianDarkKnowledge",
           "ConfidNet", "CrossEntropyMethod", "CyclicalSGMCMC", "DeepEnsemble",
           "Deterministic", "DirectPolicyGradient", "DiscreteVAE", "DropoutQNetwork",
           "EpsilonGreedy", "FeatureScattering", "Laplace", "MCDropout", "MeanFieldVI",
           "MeanTeacher", "PACBayes", "PiModel", "PosteriorQNetwork",
           "PreconditionedSGLD", "Reinforce", "RevGrad", "RobustRevGrad", "SDENet",
           "SemiSupervisedVAE", "SourceOnly", "StructuredGAN", "StructuredVAE",
           "TemporalEnsembling"]
