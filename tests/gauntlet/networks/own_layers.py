"""Subclassed models and layers that do not follow the rules of Keras."""

import keras
import numpy as np
from keras import layers, ops

from tests.gauntlet.record import DOORS, at_every_door, network
from tests.gauntlet.rows import indices, numbers

CLONING = ("bayesianize", "deep_ensemble", "from_models", "sgld", "bayes_adapter")
REWIRING = at_every_door(
    "Expected a functional or Sequential network", "the calls inside of a subclassed "
    "model cannot be rewired", doors=("bayesianize", "bayes_adapter"))


@keras.saving.register_keras_serializable(package="gauntlet")
class Perceptron(keras.Model):
    """A model that defines `call`, and is built by its first call."""

    def __init__(self, hidden, classes, **kwargs):
        super().__init__(**kwargs)
        self.hidden = hidden
        self.classes = classes
        self.first = layers.Dense(hidden, activation="relu")
        self.drop = layers.Dropout(0.3)
        self.last = layers.Dense(classes)

    def call(self, inputs, training=False):
        return self.last(self.drop(self.first(inputs), training=training))

    def get_config(self):
        return {**super().get_config(), "hidden": self.hidden,
                "classes": self.classes}


@network("subclassed model", numbers(6), indices(below=3), refused=REWIRING)
def subclassed():
    return Perceptron(8, 3)


@keras.saving.register_keras_serializable(package="gauntlet")
class ResidualDense(layers.Layer):
    """A dense layer with dropout and a skip, built by its first call."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.dense = layers.Dense(units, activation="relu")
        self.drop = layers.Dropout(0.2)

    def call(self, inputs):
        return inputs + self.drop(self.dense(inputs))

    def get_config(self):
        return {**super().get_config(), "units": self.units}


@keras.saving.register_keras_serializable(package="gauntlet")
class Branches(keras.Model):
    """A model that holds layers in a list and in a dictionary."""

    def __init__(self, classes, **kwargs):
        super().__init__(**kwargs)
        self.classes = classes
        self.blocks = [ResidualDense(6) for _ in range(2)]
        self.heads = {"left": layers.Dense(classes), "right": layers.Dense(classes)}
        self.norm = layers.BatchNormalization()

    def call(self, inputs, training=False):
        x = inputs
        for block in self.blocks:
            x = self.norm(block(x), training=training)
        return self.heads["left"](x) - self.heads["right"](x)

    def get_config(self):
        return {**super().get_config(), "classes": self.classes}


@network("subclassed model with layers in lists and dictionaries", numbers(6),
         indices(below=3), refused=REWIRING)
def subclassed_lists():
    return Branches(3)


@keras.saving.register_keras_serializable(package="gauntlet")
class WordModel(keras.Model):
    """A subclassed model of integers."""

    def __init__(self, words, **kwargs):
        super().__init__(**kwargs)
        self.words = words
        self.embed = layers.Embedding(words, 4, mask_zero=True)
        self.read = layers.GRU(4)
        self.drop = layers.Dropout(0.2)
        self.last = layers.Dense(2)

    def call(self, inputs):
        return self.last(self.drop(self.read(self.embed(inputs))))

    def get_config(self):
        return {**super().get_config(), "words": self.words}


@network("subclassed model of integers", indices(5, below=9), indices(below=2),
         refused=REWIRING)
def subclassed_words():
    return WordModel(9)


@network("layers of its own that their first call builds", numbers(6),
         indices(below=3))
def built_by_call():
    inputs = keras.Input((6,), name="features")
    x = ResidualDense(6)(ResidualDense(6)(inputs))
    return keras.Model(inputs, layers.Dense(3)(x))


@network("subclassed model inside a functional one", numbers(6), indices(below=3))
def model_inside():
    inputs = keras.Input((6,), name="features")
    x = layers.Activation("relu")(Perceptron(8, 5, name="inner")(inputs))
    return keras.Model(inputs, layers.Dense(3)(x))


@keras.saving.register_keras_serializable(package="gauntlet")
class Halved(layers.Layer):
    """A layer without `get_config`; Keras reads its plain arguments itself."""

    def __init__(self, units, factor=0.5, **kwargs):
        super().__init__(**kwargs)
        self.factor = factor
        self.dense = layers.Dense(units, activation="relu")

    def build(self, shape):
        self.dense.build(shape)

    def call(self, inputs):
        return self.factor * self.dense(inputs)


@network("layer without get_config", numbers(6), indices(below=3))
def without_config():
    inputs = keras.Input((6,), name="features")
    x = layers.Dropout(0.2)(Halved(6)(inputs))
    return keras.Model(inputs, layers.Dense(3)(x))


@keras.saving.register_keras_serializable(package="gauntlet")
class Projected(layers.Layer):
    """A layer with an argument that no config can hold."""

    def __init__(self, source, name):
        super().__init__(name=name)
        self.source = source

    def build(self, shape):
        self.scale = self.add_weight(name="scale", shape=(), initializer="ones")

    def call(self, inputs):
        return self.scale * ops.matmul(inputs, self.source())


class Directions:
    """A Python object that Keras cannot write to a file."""

    def __call__(self):
        return np.linspace(-1.0, 1.0, 24, dtype="float32").reshape(6, 4)


@network("layer that cannot be cloned", numbers(6), indices(below=3), refused={
    **at_every_door("uncloneable|Projected", "the layer has no config, which a copy "
                    "needs", doors=CLONING),
    **at_every_door("Projected", "the layer has no config, which the file needs",
                    "save", doors=("mc_dropout", "adopted"))})
def uncloneable():
    inputs = keras.Input((6,), name="features")
    x = Projected(Directions(), name="uncloneable")(inputs)
    x = layers.Dropout(0.2)(layers.Dense(6, activation="relu")(x))
    return keras.Model(inputs, layers.Dense(3)(x))


class Shifted(layers.Layer):
    """A layer that nobody registered."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, shape):
        self.shift = self.add_weight(name="shift", shape=(self.units,))

    def call(self, inputs):
        return inputs + self.shift

    def get_config(self):
        return {**super().get_config(), "units": self.units}


@network("layer that is not registered", numbers(6), indices(below=3),
         refused=at_every_door("Shifted", "the class must be given as `custom_objects`",
                               "load"))
def unregistered():
    inputs = keras.Input((6,), name="features")
    x = layers.Dropout(0.2)(Shifted(8)(layers.Dense(8, activation="relu")(inputs)))
    return keras.Model(inputs, layers.Dense(3)(x))


@keras.saving.register_keras_serializable(package="gauntlet")
class OwnNoise(layers.Layer):
    """Dropout by Keras' own random numbers, which no draw can reach."""

    def __init__(self, rate, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate
        self.seeds = keras.random.SeedGenerator(3)

    def call(self, inputs, training=False):
        if not training:
            return inputs
        return keras.random.dropout(inputs, self.rate, seed=self.seeds)

    def get_config(self):
        return {**super().get_config(), "rate": self.rate}


@network("dropout of its own, beyond the reach of draws", numbers(6), indices(below=3),
         unreached="own_noise")
def own_noise():
    inputs = keras.Input((6,), name="features")
    x = OwnNoise(0.3, name="own_noise")(layers.Dense(8, activation="relu")(inputs))
    return keras.Model(inputs, layers.Dense(3)(x))


@network("two outputs by name", numbers(6), indices(below=3),
         refused=at_every_door(r"keras\.Model\(", "one model is one output"))
def two_outputs():
    inputs = keras.Input((6,), name="features")
    x = layers.Dropout(0.2)(layers.Dense(8, activation="relu")(inputs))
    return keras.Model(inputs, {"kind": layers.Dense(3, name="kind")(x),
                                "size": layers.Dense(1, name="size")(x)})


# Graphs fuse operations that round to eight bits each outside of them.
@network("mixed precision", numbers(6), indices(below=3), tolerance=1e-2)
def half_precision():
    inputs = keras.Input((6,), name="features")
    x = layers.Dense(8, activation="relu", dtype="mixed_bfloat16")(inputs)
    x = layers.Dropout(0.2, dtype="mixed_bfloat16")(x)
    return keras.Model(inputs, layers.Dense(3, dtype="float32")(x))


assert set(CLONING) < set(DOORS)
