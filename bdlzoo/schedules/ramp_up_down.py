"""Learning rates that rise along a Gaussian, and fall along one at the end.

    peak exp(-5 (1 - t / R)**2)      at first, see `bdlzoo.schedules.ramp_up`
    peak exp(-12.5 s**2)             at last, s from 0 to 1

The last steps with a small rate average the noise of the steps before.

Reference: Laine and Aila, Temporal Ensembling for Semi-Supervised Learning, ICLR 2017.
"""

import keras
import tensorflow as tf

from bdlzoo.core.checks import check_positive


@keras.saving.register_keras_serializable(package="bdlzoo")
class RampUpDown(keras.optimizers.schedules.LearningRateSchedule):
    """Rises as `RampUp` does, and falls at the end of the training.

    Args:
        peak: Float, the rate between the ramps.
        decay_steps: Integer, steps of the whole training.
        up: Float, share of the steps in which the rate rises.
        down: Float, share of the steps in which it falls.

    Example:

        keras.optimizers.Adam(RampUpDown(0.003, decay_steps=10_000))
    """

    def __init__(self, peak, decay_steps, up=0.25, down=0.25):
        check_positive(peak=peak, decay_steps=decay_steps)
        if not 0 <= up <= 1 or not 0 <= down <= 1 or up + down > 1:
            raise ValueError("Expected shares from 0 to 1 whose sum is at most 1. "
                             f"Received: up={up}, down={down}")
        self.peak = peak
        self.decay_steps = int(decay_steps)
        self.up = up
        self.down = down

    def __call__(self, step):
        done = tf.cast(step, tf.float32) / self.decay_steps
        left = tf.maximum(1.0 - done / self.up, 0.0) if self.up else 0.0
        gone = tf.clip_by_value(
            1.0 - (1.0 - done) / self.down, 0.0, 1.0) if self.down else 0.0
        return self.peak * tf.exp(-5.0 * tf.square(left) - 12.5 * tf.square(gone))

    def get_config(self):
        return {"peak": self.peak, "decay_steps": self.decay_steps, "up": self.up,
                "down": self.down}
