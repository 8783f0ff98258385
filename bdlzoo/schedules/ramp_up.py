"""Schedule that rises along a Gaussian, and stays at its peak.

    peak exp(-5 (1 - t / R)**2)      for t < R;  peak afterwards

It starts at exp(-5) = 0.0067 of the peak. It is for the weight of a loss that would
mislead a network that has not learnt anything yet, and for learning rates.

Reference: Laine and Aila, Temporal Ensembling for Semi-Supervised Learning, ICLR 2017.
"""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="bdlzoo")
class RampUp(keras.optimizers.schedules.LearningRateSchedule):
    """Rises to a peak in some steps.

    Args:
        peak: Float, the value at the end of the ramp and afterwards.
        ramp_steps: Integer, the R of the formula, at least 0; 0 for no ramp.

    Example:

        keras.optimizers.Adam(RampUp(0.003, ramp_steps=1000))
    """

    def __init__(self, peak, ramp_steps):
        if not ramp_steps >= 0:
            raise ValueError("Expected a ramp of at least 0 steps. Received: "
                             f"ramp_steps={ramp_steps}")
        self.peak = peak
        self.ramp_steps = int(ramp_steps)

    def __call__(self, step):
        left = 1.0 - tf.cast(step, tf.float32) / max(self.ramp_steps, 1)
        left = tf.maximum(left, 0.0) if self.ramp_steps else 0.0 * left
        return self.peak * tf.exp(-5.0 * tf.square(left))

    def get_config(self):
        return {"peak": self.peak, "ramp_steps": self.ramp_steps}
