"""Embeddings with dropout of words.

    vector(word) = z_word / (1 - rate) * E[word],    z_word ~ Bernoulli(1 - rate)

A word of a sequence is dropped at all of its positions, or at none: a row of the table
is dropped, which is a draw of the table as a weight. The fate of a word comes from a
hash of the key and the word, so that the masks of all other words are never made.

Reference: Gal and Ghahramani, A Theoretically Grounded Application of Dropout in
Recurrent Neural Networks, NeurIPS 2016.
"""

import keras
import tensorflow as tf
from keras import ops

from bdlzoo.core import noise


@keras.saving.register_keras_serializable(package="bdlzoo")
class EmbeddingDropout(keras.layers.Embedding):
    """Runs `keras.layers.Embedding` and drops whole words.

    In training each row of a batch drops words of its own; a draw at prediction drops
    the same words in all rows. Outside of a draw scope nothing is dropped.

    Args:
        input_dim: Integer, number of indices.
        output_dim: Integer, length of a vector.
        rate: Float, probability that a word is dropped, below 1.
        embeddings_initializer: Name or initializer of the vectors.
        mask_zero: Bool, whether the index 0 is padding that later layers skip.
        **kwargs: Other arguments of `keras.layers.Embedding`, such as
            `embeddings_regularizer` and `name`.

    Example:

        EmbeddingDropout(20000, 128, rate=0.25, mask_zero=True)
    """

    def __init__(self, input_dim, output_dim, rate, *, embeddings_initializer="uniform",
                 mask_zero=False, **kwargs):
        super().__init__(input_dim=input_dim, output_dim=output_dim,
                         embeddings_initializer=embeddings_initializer,
                         mask_zero=mask_zero, **kwargs)
        if not 0.0 <= rate < 1.0:
            raise ValueError("Expected a probability from 0 to below 1. Received: "
                             f"rate={rate}")
        self.rate = rate

    @property
    def stochastic(self):
        return self.rate > 0.0

    def call(self, inputs):
        vectors = super().call(inputs)
        draw = noise.current()
        if draw is None or not self.stochastic:
            return vectors
        words = ops.cast(inputs, "int64")
        if not draw.coherent:  # The same word in another row is another one.
            rows = ops.arange(ops.shape(words)[0], dtype="int64")
            shape = (-1, *[1] * (len(words.shape) - 1))
            words += self.input_dim * ops.reshape(rows, shape)
        keep = noise.integer_uniform(words, draw.key_of(self)) > self.rate
        scale = tf.cast(keep, vectors.dtype) * (1.0 / (1.0 - self.rate))
        return vectors * scale[..., None]

    def get_config(self):
        return {**super().get_config(), "rate": self.rate}
