"""The zoo: one file a method."""

from bdlzoo.methods.deterministic import Deterministic
from bdlzoo.methods.mc_dropout import MCDropout
from bdlzoo.methods.mean_field_vi import MeanFieldVI
from bdlzoo.methods.pac_bayes import PACBayes

__all__ = ["Deterministic", "MCDropout", "MeanFieldVI", "PACBayes"]
