"""Networks that read words."""

import keras
import numpy as np
from keras import layers, ops

from tests.gauntlet.record import network
from tests.gauntlet.rows import indices, padded, sentences

TOKENS = padded(8, below=20)
VOCABULARY = ("cold", "warm", "rain", "sun", "wind", "snow")


@network("embedding and average", TOKENS, indices(below=2))
def bag_of_words():
    inputs = keras.Input((8,), dtype="int32", name="words")
    x = layers.GlobalAveragePooling1D()(layers.Embedding(20, 6)(inputs))
    x = layers.Dropout(0.2)(layers.Dense(6, activation="relu")(x))
    return keras.Model(inputs, layers.Dense(2)(x))


@network("text through TextVectorization", sentences(VOCABULARY, 4), indices(below=3),
         keeps=("vectors",))
def vectorised_text():
    cut = layers.TextVectorization(output_sequence_length=5, name="vectors")
    cut.adapt(np.asarray(VOCABULARY))
    inputs = keras.Input((1,), dtype="string", name="text")
    x = layers.Embedding(10, 4)(cut(inputs))
    x = layers.Conv1D(5, 3, activation="relu")(x)
    x = layers.Dropout(0.2)(layers.GlobalMaxPooling1D()(x))
    return keras.Model(inputs, layers.Dense(3)(x))


@keras.saving.register_keras_serializable(package="gauntlet")
class WordsAndPlaces(layers.Layer):
    """Sum of an embedding of words and one of their places."""

    def __init__(self, length, words, width, **kwargs):
        super().__init__(**kwargs)
        self.length = length
        self.words = words
        self.width = width
        self.by_word = layers.Embedding(words, width)
        self.by_place = layers.Embedding(length, width)

    def build(self, shape):
        self.by_word.build(shape)
        self.by_place.build((self.length,))

    def call(self, inputs):
        return self.by_word(inputs) + self.by_place(ops.arange(self.length))

    def get_config(self):
        return {**super().get_config(), "length": self.length, "words": self.words,
                "width": self.width}


@keras.saving.register_keras_serializable(package="gauntlet")
class TransformerBlock(layers.Layer):
    """Attention and a perceptron, each with dropout, a skip and a norm."""

    def __init__(self, width, heads, hidden, rate=0.1, **kwargs):
        super().__init__(**kwargs)
        self.width, self.heads, self.hidden, self.rate = width, heads, hidden, rate
        self.attend = layers.MultiHeadAttention(heads, width // heads)
        self.perceptron = keras.Sequential([
            layers.Dense(hidden, activation="relu"), layers.Dense(width)])
        self.parts = {"first": (layers.Dropout(rate), layers.LayerNormalization()),
                      "second": (layers.Dropout(rate), layers.LayerNormalization())}

    def build(self, shape):
        self.attend.build(shape, shape)
        self.perceptron.build(shape)
        for _, norm in self.parts.values():
            norm.build(shape)

    def call(self, inputs, training=False):
        drop, norm = self.parts["first"]
        x = norm(inputs + drop(self.attend(inputs, inputs), training=training))
        drop, norm = self.parts["second"]
        return norm(x + drop(self.perceptron(x), training=training))

    def get_config(self):
        return {**super().get_config(), "width": self.width, "heads": self.heads,
                "hidden": self.hidden, "rate": self.rate}


@network("text transformer with layers of its own", TOKENS, indices(below=2))
def text_transformer():
    inputs = keras.Input((8,), dtype="int32", name="words")
    x = TransformerBlock(6, 2, 8)(WordsAndPlaces(8, 20, 6)(inputs))
    x = layers.Dropout(0.1)(layers.GlobalAveragePooling1D()(x))
    return keras.Model(inputs, layers.Dense(2)(x))


@network("language model: next words", TOKENS, indices(8, below=20))
def language_model():
    inputs = keras.Input((8,), dtype="int32", name="words")
    x = WordsAndPlaces(8, 20, 6)(inputs)
    y = layers.MultiHeadAttention(2, 3, dropout=0.1)(x, x, use_causal_mask=True)
    x = layers.LayerNormalization()(x + layers.Dropout(0.1)(y))
    return keras.Model(inputs, layers.Dense(20)(x))


@network("memory network: a story and a question",
         [indices(3, 4, below=9), indices(4, below=9, seed=6)], indices(below=9))
def memory_network():
    story = keras.Input((3, 4), dtype="int32", name="story")
    question = keras.Input((4,), dtype="int32", name="question")
    keys = ops.sum(layers.Embedding(9, 5)(story), axis=2)
    values = ops.sum(layers.Embedding(9, 5)(story), axis=2)
    asked = ops.sum(layers.Embedding(9, 5)(question), axis=1)
    shares = layers.Softmax()(layers.Dot(axes=(2, 1))([keys, asked]))
    found = layers.Dot(axes=(1, 1))([values, shares])
    x = layers.Dropout(0.2)(layers.concatenate([found, asked]))
    return keras.Model([story, question], layers.Dense(9)(x))
