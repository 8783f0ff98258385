"""The zoo: one file a method."""

from bdlzoo.methods.confid_net import ConfidNet
from bdlzoo.methods.deterministic import Deterministic
from bdlzoo.methods.mc_dropout import MCDropout
from bdlzoo.methods.mean_field_vi import MeanFieldVI
from bdlzoo.methods.pac_bayes import PACBayes

__all__ = ["ConfidNet", "Deterministic", "MCDropout", "MeanFieldVI", "PACBayes"]
