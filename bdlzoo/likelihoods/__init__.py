"""Likelihoods, which read network outputs as densities and as predictions."""

from bdlzoo.likelihoods.bernoulli import Bernoulli
from bdlzoo.likelihoods.categorical import Categorical
from bdlzoo.likelihoods.gaussian import Gaussian
from bdlzoo.likelihoods.heteroscedastic_gaussian import HeteroscedasticGaussian
from bdlzoo.likelihoods.likelihood import ClassLikelihood, Likelihood

__all__ = ["Bernoulli", "Categorical", "ClassLikelihood", "Gaussian",
           "HeteroscedasticGaussian", "Likelihood"]
