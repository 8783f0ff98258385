"""Densities that turn network outputs into predictions."""

from bdlzoo.likelihoods.bernoulli import Bernoulli
from bdlzoo.likelihoods.bernoulli_pixels import BernoulliPixels
from bdlzoo.likelihoods.categorical import Categorical
from bdlzoo.likelihoods.gaussian import Gaussian
from bdlzoo.likelihoods.gaussian_pixels import GaussianPixels
from bdlzoo.likelihoods.heteroscedastic_gaussian import HeteroscedasticGaussian
from bdlzoo.likelihoods.likelihood import ClassLikelihood, Likelihood
from bdlzoo.likelihoods.pixel_likelihood import PixelLikelihood

__all__ = ["Bernoulli", "BernoulliPixels", "Categorical", "ClassLikelihood",
           "Gaussian", "GaussianPixels", "HeteroscedasticGaussian", "Likelihood",
           "PixelLikelihood"]
