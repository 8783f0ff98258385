"""The zoo: one file a method."""

from bdlzoo.methods.alpha_divergence_dropout import AlphaDivergenceDropout
from bdlzoo.methods.confid_net import ConfidNet
from bdlzoo.methods.deep_ensemble import DeepEnsemble
from bdlzoo.methods.degp import DEGP
from bdlzoo.methods.deterministic import Deterministic
from bdlzoo.methods.mc_dropout import MCDropout
from bdlzoo.methods.mean_field_vi import MeanFieldVI
from bdlzoo.methods.pac_bayes import PACBayes
from bdlzoo.methods.sde_hnn import SDEHNN
from bdlzoo.methods.sde_net import SDENet

__all__ = ["AlphaDivergenceDropout", "ConfidNet", "DEGP", "DeepEnsemble",
           "Deterministic", "MCDropout", "MeanFieldVI", "PACBayes", "SDEHNN",
           "SDENet"]
