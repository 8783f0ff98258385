"""Schedule that rises from 0 to a peak along a line, after a start at 0.

    peak min(max(t - start, 0) / length, 1)

It is a schedule of Keras, for terms of a loss that come in slowly, such as labels that
a network has given itself.
"""

import keras
import tensorflow as tf

from bdlzoo.core.checks import check_positive


@keras.saving.register_keras_serializable(package="bdlzoo")
class LinearRise(keras.optimizers.schedules.LearningRateSchedule):
    """Stays at 0, then rises along a line to a peak.

    Args:
        peak: Float, the value from `start + length` on.
        start: Number of steps at 0.
        length: Number of steps of the rise, above 0.

    Example:

        LinearRise(peak=0.8, start=1000, length=5000)
    """

    def __init__(self, peak, start, length):
        check_positive(length=length)
        if not start >= 0:
            raise ValueError("Expected a start of at least 0. Received: "
                             f"start={start}")
        self.peak = peak
        self.start = start
        self.length = length

    def __call__(self, step):
        passed = tf.cast(step, tf.float32) - float(self.start)
        return self.peak * tf.clip_by_value(passed / float(self.length), 0.0, 1.0)

    def get_config(self):
        return {"peak": self.peak, "start": self.start, "length": self.length}
