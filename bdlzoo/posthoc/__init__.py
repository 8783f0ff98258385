"""Calibration of trained models, which changes no weight of the network."""

from bdlzoo.posthoc.calibration import Calibration
from bdlzoo.posthoc.conformal_interval import fit_conformal_interval
from bdlzoo.posthoc.conformal_sets import fit_conformal_sets
from bdlzoo.posthoc.isotonic import fit_isotonic
from bdlzoo.posthoc.temperature import fit_temperature
from bdlzoo.posthoc.vector_scaling import fit_vector_scaling

__all__ = ["Calibration", "fit_conformal_interval", "fit_conformal_sets",
           "fit_isotonic", "fit_temperature", "fit_vector_scaling"]
