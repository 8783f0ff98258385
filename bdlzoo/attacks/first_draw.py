"""Gray box: the attacker knows one draw of a posterior, and no more."""

import numpy as np
import tensorflow as tf

from bdlzoo.core import noise


class FirstDraw:
    """The network that a model's first draw is, whatever key it is asked with.

    An attack would draw anew in every step; this one knows one network.

    Args:
        model: Trained `PredictiveModel` of classes.

    Example:

    ```python
    x_adv = PGD(0.15, 0.01, 40)(FirstDraw(model), x, y)
    ```
    """

    def __init__(self, model):
        self.model = model
        self.likelihood = model.likelihood
        self._outputs = tf.function(lambda x: self.draw(x, 1, None)[0],
                                    reduce_retracing=True)

    def draw(self, inputs, num_samples, key):
        del num_samples, key
        return self.model.draw(inputs, 1,
                               noise.key(self.model.seed, noise.PREDICT))

    def labels(self, x):
        """Classes `[B]`."""
        return np.argmax(self._outputs(tf.convert_to_tensor(x)), axis=-1)
