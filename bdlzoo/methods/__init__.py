"""The zoo: one file a method."""

from bdlzoo.methods.deterministic import Deterministic
from bdlzoo.methods.mc_dropout import MCDropout

__all__ = ["Deterministic", "MCDropout"]
