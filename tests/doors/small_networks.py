"""Small networks with inputs of all kinds, and rows for them."""

import keras
import numpy as np

ROWS = 24
CITIES = ("oslo", "rome", "bern", "lima")
TEXTS = ("the cat sat", "a dog ran off", "birds fly high up", "fish swim")


def labels(rows=ROWS):
    return np.arange(rows).astype("int32") % 3


def numbers(columns=4, rows=ROWS, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, columns)).astype("float32")


def mlp(columns=4):
    return keras.Sequential([keras.Input((columns,)), *_layers()])


def named(*names):
    """A network of inputs with some names, the k-th with k + 2 columns."""
    inputs = {name: keras.Input((2 + place,), name=name)
              for place, name in enumerate(names)}
    x = keras.layers.Concatenate()([inputs[name] for name in names])
    rows = {name: numbers(2 + place, seed=place) for place, name in enumerate(names)}
    return keras.Model(inputs, _head(x)), rows


def mixed():
    """A network of words by number, numbers, and words as strings."""
    inputs = {"word": keras.Input((3,), dtype="int32", name="word"),
              "size": keras.Input((2,), name="size"),
              "city": keras.Input((1,), dtype="string", name="city")}
    look_up = keras.layers.StringLookup(vocabulary=CITIES[:3])
    x = keras.layers.Concatenate()([
        keras.layers.Flatten()(keras.layers.Embedding(10, 4)(inputs["word"])),
        inputs["size"],
        keras.layers.Flatten()(keras.layers.Embedding(5, 2)(look_up(inputs["city"])))])
    rows = {"word": np.arange(3 * ROWS).reshape(ROWS, 3).astype("int32") % 10,
            "size": numbers(2), "city": strings(CITIES)}
    return keras.Model(inputs, _head(x)), rows


def text():
    """A network of sentences, with the table of words inside."""
    words = keras.layers.TextVectorization(max_tokens=20, output_sequence_length=4)
    words.adapt(list(TEXTS))
    network = keras.Sequential([
        keras.Input((1,), dtype="string"), words, keras.layers.Embedding(20, 6),
        keras.layers.GlobalAveragePooling1D(), *_layers()])
    return network, strings(TEXTS)


def strings(values, rows=ROWS):
    return np.array([[values[row % len(values)]] for row in range(rows)], dtype=object)


@keras.saving.register_keras_serializable(package="bdlzoo_tests")
class LookedUp(keras.Model):
    """A subclassed network of strings and numbers."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.look_up = keras.layers.StringLookup(vocabulary=CITIES[:3])
        self.embedding = keras.layers.Embedding(5, 4)
        self.dropout = keras.layers.Dropout(0.5)
        self.dense = keras.layers.Dense(3)

    def call(self, inputs, training=False):
        city = self.embedding(self.look_up(inputs["city"]))[:, 0]
        x = keras.ops.concatenate([city, inputs["size"]], axis=1)
        return self.dense(self.dropout(x, training=training))


def looked_up():
    return LookedUp(), {"size": numbers(2), "city": strings(CITIES)}


def _layers():
    return [keras.layers.Dense(8, activation="relu"), keras.layers.Dropout(0.5),
            keras.layers.Dense(3)]


def _head(x):
    for layer in _layers():
        x = layer(x)
    return x
