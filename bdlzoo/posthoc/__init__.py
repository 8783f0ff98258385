"""Repairs of a trained model: no weight of the network moves."""

from bdlzoo.posthoc.calibration import Calibration
from bdlzoo.posthoc.temperature import fit_temperature

__all__ = ["Calibration", "fit_temperature"]
