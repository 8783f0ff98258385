"""Attacks that survive the camera: expectation over random transformations.

    scores(x) = log mean over s of p(y | t_s(x), w_s),      t_s ~ transformations

An attack that is printed and photographed is seen from elsewhere, in other light, with
noise. Any attack of the zoo on a `Transformed` model averages over transformations:
`num_samples` of the attack is their number, and each has a draw of the model's own.

Reference: Athalye, Engstrom, Ilyas and Kwok, Synthesizing Robust Adversarial Examples,
ICML 2018.
"""

import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.likelihoods import Categorical
from bdlzoo.surgery import random_layers


class Transformed:
    """Shows a model to attacks through random layers.

    Args:
        model: Keras classifier, or `PredictiveModel` of classes.
        transforms: Keras model or layer that changes images at random in training
            mode, such as `RandomRotation`, `RandomTranslation` or `GaussianNoise`.
        from_logits: Bool, whether a plain Keras model returns logits; `False` means
            probabilities. For a model of the zoo it has no effect.

    Example:

    ```python
    camera = keras.Sequential([keras.layers.RandomRotation(0.05),
                               keras.layers.GaussianNoise(0.05)])
    attack = PGD(0.2, 0.02, 40, num_samples=16)
    x_adv = attack(Transformed(model, camera), x, y)
    ```
    """

    def __init__(self, model, transforms, from_logits=True):
        random_layers.adopt(transforms)
        self.model = model
        self.transforms = transforms
        self._plain = not hasattr(model, "draw")
        self.likelihood = Categorical(from_logits) if self._plain else model.likelihood
        self._probabilities = tf.function(self._mean, reduce_retracing=True)

    def build_once(self, x):
        """Builds the model if it is not built yet."""
        if not self._plain:
            self.model.build_once(x)
        if not self.transforms.built:
            self.transforms.build((None, *x.shape[1:]))

    def check_ready(self):
        """Raises if the model has no draws yet."""
        if not self._plain:
            self.model.check_ready()

    def draw(self, inputs, num_samples, key):
        """Outputs `[S, B, C]`, each of other transformations and another draw."""
        def one(key):
            seen = random_layers.changed(self.transforms, inputs, noise.fold_in(key, 0))
            if self._plain:
                return tf.cast(self.model(seen, training=False), tf.float32)
            return self.model.draw(seen, 1, noise.fold_in(key, 1))[0]

        return tf.map_fn(one, noise.split(key, num_samples),
                         fn_output_signature=tf.float32)

    def labels(self, x, num_samples=32, seed=0):
        """Most probable class after the mean over transformations, `[B]`.

        Args:
            x: Inputs `[B, ...]`.
            num_samples: Integer, transformations.
            seed: Integer, seed of them; that of an attack has other ones.
        """
        x = tf.convert_to_tensor(x, tf.float32)
        self.build_once(x)
        key = noise.key(seed, noise.PREDICT)
        return np.argmax(self._probabilities(x, num_samples, key), axis=-1)

    def _mean(self, x, num_samples, key):
        return self.likelihood.prediction(self.draw(x, num_samples, key)).log_mean
