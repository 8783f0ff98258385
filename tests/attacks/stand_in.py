"""A stand-in for a zoo model, as the attacks see one."""

import tensorflow as tf

from bdlzoo.core import noise


class Draws:
    """Linear in five inputs, with a Gaussian over its weights."""

    likelihood = property(lambda self: self)

    def __init__(self, num_classes):
        self.num_classes = num_classes

    def draw(self, inputs, num_samples, key):
        return tf.einsum("bd,sdc->sbc", inputs,
                         noise.normal([num_samples, 5, self.num_classes], key))

    def log_prob(self, targets, outputs):
        hot = tf.one_hot(targets, self.num_classes)
        return tf.reduce_sum(tf.nn.log_softmax(outputs) * hot, axis=-1)
