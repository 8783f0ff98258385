"""Temperature of the averaged predictive, fitted on held-out data.

    T = argmin over t of - mean log p_t(y)

For classes `p_t = softmax(log p / t)`; for numbers p_t is the mixture, stretched by t
about its mean. The draws are averaged first and calibrated then. The other order is
another model, which is under-confident.

Reference: Guo et al., On Calibration of Modern Neural Networks, ICML 2017.
"""

import math

import tensorflow as tf
import tensorflow_probability as tfp
from absl import logging

_BOUNDS = (math.log(1e-3), math.log(1e3))


def fit_temperature(prediction, targets):
    """Finds the temperature of least negative log-likelihood.

    Args:
        prediction: Prediction for held-out inputs, in float64.
        targets: Observed class indices or values of these inputs.

    Returns:
        Float; 1, with a warning, if no finite temperature is best.

    Example:

        temperature = bdlzoo.posthoc.fit_temperature(prediction, y)
    """

    def slope(log_temperature):
        with tf.GradientTape() as tape:
            tape.watch(log_temperature)
            tempered = prediction.tempered(tf.exp(log_temperature))
            nll = -tf.reduce_mean(tempered.log_prob(targets))
        return tape.gradient(nll, log_temperature)

    low, high = (tf.constant(bound, tf.float64) for bound in _BOUNDS)
    if slope(low) >= 0 or slope(high) <= 0:
        logging.warning(
            "No finite temperature is best on these data (is every prediction "
            "right, or every one wrong?): the temperature stays at 1. Calibrate "
            "on more data.")
        return 1.0
    # The likelihood is convex in 1 / t, so the slope has one root.
    root = tfp.math.find_root_chandrupatla(
        slope, low, high, position_tolerance=1e-10, value_tolerance=0.0)
    return float(tf.exp(root.estimated_root))
