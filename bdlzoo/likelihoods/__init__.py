"""Likelihoods, which read network outputs as densities and as predictions."""

from bdlzoo.likelihoods.bernoulli import Bernoulli
from bdlzoo.likelihoods.bernoulli_pixels import BernoulliPixels
from bdlzoo.likelihoods.categorical import Categorical
from bdlzoo.likelihoods.count_likelihood import CountLikelihood
from bdlzoo.likelihoods.density_likelihood import DensityLikelihood
from bdlzoo.likelihoods.distribution import Distribution
from bdlzoo.likelihoods.gaussian import Gaussian
from bdlzoo.likelihoods.gaussian_pixels import GaussianPixels
from bdlzoo.likelihoods.heteroscedastic_gaussian import HeteroscedasticGaussian
from bdlzoo.likelihoods.laplace import Laplace
from bdlzoo.likelihoods.likelihood import ClassLikelihood, Likelihood
from bdlzoo.likelihoods.mixture_density import MixtureDensity
from bdlzoo.likelihoods.negative_binomial import NegativeBinomial
from bdlzoo.likelihoods.ordinal import Ordinal
from bdlzoo.likelihoods.pixel_likelihood import PixelLikelihood
from bdlzoo.likelihoods.poisson import Poisson
from bdlzoo.likelihoods.quantiles import Quantiles
from bdlzoo.likelihoods.stochastic_logits import StochasticLogits
from bdlzoo.likelihoods.student_t import StudentT

__all__ = ["Bernoulli", "BernoulliPixels", "Categorical", "ClassLikelihood",
           "CountLikelihood", "DensityLikelihood", "Distribution", "Gaussian",
           "GaussianPixels", "HeteroscedasticGaussian", "Laplace", "Likelihood",
           "MixtureDensity", "NegativeBinomial", "Ordinal", "PixelLikelihood",
           "Poisson", "Quantiles", "StochasticLogits", "StudentT"]
