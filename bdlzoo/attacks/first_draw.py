"""Gray-box access to a model: one fixed draw of its posterior."""

import numpy as np
import tensorflow as tf

from bdlzoo.core import noise


class FirstDraw:
    """Offers the network of a model's first draw to attacks.

    An attack draws new weights in every step. With this class every step uses the same
    draw.

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
        """Outputs of the first draw, `[1, B, C]`, for any number and key."""
        del num_samples, key
        return self.model.draw(inputs, 1,
                               noise.key(self.model.seed, noise.PREDICT))

    def labels(self, x):
        """Predicted classes `[B]`."""
        return np.argmax(self._outputs(tf.convert_to_tensor(x)), axis=-1)
