"""Masks of the outputs of networks."""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.surgery import output_mask

layers = keras.layers


class Tagger(keras.Model):
    def __init__(self):
        super().__init__()
        self.embedding = layers.Embedding(5, 3, mask_zero=True)
        self.head = layers.Dense(2)

    def call(self, inputs):
        return self.head(self.embedding(inputs))


def test_mask_is_that_of_the_last_layer():
    x = tf.constant([[1, 2, 0], [3, 0, 0]])
    tagger = keras.Sequential([keras.Input((3,)), layers.Embedding(5, 3,
                                                                   mask_zero=True),
                               layers.Dense(2)])
    for network in (tagger, Tagger()):
        assert output_mask.exists(network, (None, 3))
        np.testing.assert_array_equal(
            tf.function(lambda x: output_mask.of(network, x))(x), x.numpy() > 0)


def test_pooled_sequence_has_no_mask():
    pooled = keras.Sequential([
        keras.Input((3,)), layers.Embedding(5, 3, mask_zero=True), layers.GRU(4)])
    assert not output_mask.exists(pooled, (None, 3))
