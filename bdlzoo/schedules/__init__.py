"""Schedules of rates and temperatures."""

from bdlzoo.schedules.cosine_cycles import CosineCycles
from bdlzoo.schedules.exponential_fall import ExponentialFall
from bdlzoo.schedules.exponential_rise import ExponentialRise
from bdlzoo.schedules.linear_rise import LinearRise
from bdlzoo.schedules.polynomial_steps import PolynomialSteps
from bdlzoo.schedules.ramp_up import RampUp
from bdlzoo.schedules.ramp_up_down import RampUpDown
from bdlzoo.schedules.sigmoid_rise import SigmoidRise

__all__ = ["CosineCycles", "ExponentialFall", "ExponentialRise", "LinearRise",
           "PolynomialSteps", "RampUp", "RampUpDown", "SigmoidRise"]
