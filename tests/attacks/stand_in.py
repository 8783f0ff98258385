"""A stand-in for a zoo model, as the attacks see one."""

import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.likelihoods import Categorical


class Draws:
    """Linear in five inputs, with a Gaussian over its weights."""

    likelihood, seed = Categorical(), 3

    def __init__(self, num_classes):
        self.num_classes = num_classes

    def weights(self, num_samples, key):
        return noise.normal([num_samples, 5, self.num_classes], key)

    def draw(self, inputs, num_samples, key):
        return tf.einsum("bd,sdc->sbc", inputs, self.weights(num_samples, key))
