"""Networks of columns: named inputs, look-ups, trees, experts."""

import keras
import numpy as np
from keras import layers, ops

from tests.gauntlet.record import network
from tests.gauntlet.rows import indices, numbers, words

COLOURS = ("red", "green", "blue")


@network("wide and deep with named inputs",
         {"wide": numbers(4), "deep": numbers(5, seed=6)}, indices(below=2))
def wide_and_deep():
    inputs = {"wide": keras.Input((4,), name="wide"),
              "deep": keras.Input((5,), name="deep")}
    x = layers.Dense(8, activation="relu")(inputs["deep"])
    x = layers.Dropout(0.2)(layers.BatchNormalization()(x))
    x = layers.concatenate([layers.BatchNormalization()(inputs["wide"]), x])
    return keras.Model(inputs, layers.Dense(2)(x))


@network("strings, integers and numbers by StringLookup and Normalization",
         {"age": 40 + 10 * numbers(1), "visits": indices(1, below=4),
          "colour": words(COLOURS, 1)}, indices(below=2),
         keeps=("scaled_age", "colour_index"))
def look_ups():
    inputs = {"age": keras.Input((1,), name="age"),
              "visits": keras.Input((1,), dtype="int32", name="visits"),
              "colour": keras.Input((1,), dtype="string", name="colour")}
    scaled = layers.Normalization(name="scaled_age")
    scaled.adapt(40 + 10 * numbers(1))
    index = layers.StringLookup(vocabulary=list(COLOURS), name="colour_index")
    x = layers.concatenate([
        scaled(inputs["age"]),
        layers.CategoryEncoding(4, output_mode="one_hot")(inputs["visits"]),
        layers.CategoryEncoding(4, output_mode="one_hot")(index(inputs["colour"]))])
    x = layers.Dropout(0.2)(layers.Dense(6, activation="relu")(x))
    return keras.Model(inputs, layers.Dense(2)(x))


@network("buckets and hashes", [numbers(2), words(COLOURS, 1)], numbers(1, seed=9),
         "gaussian")
def buckets():
    amount = keras.Input((2,), name="amount")
    colour = keras.Input((1,), dtype="string", name="colour")
    cut = layers.Discretization([-1.0, 0.0, 1.0])(amount)
    x = layers.concatenate([
        layers.Flatten()(layers.Embedding(4, 3)(cut)),
        layers.Flatten()(layers.Embedding(5, 2)(layers.Hashing(5)(colour)))])
    x = layers.Dropout(0.1)(layers.Dense(6, activation="relu")(x))
    return keras.Model([amount, colour], layers.Dense(1)(x))


@network("siamese towers with shared weights", [numbers(6), numbers(6, seed=6)],
         indices(1, below=2), "bernoulli")
def siamese():
    tower = keras.Sequential([
        keras.Input((6,)), layers.Dense(8, activation="relu"), layers.Dropout(0.2),
        layers.Dense(4)], name="tower")
    left, right = keras.Input((6,), name="left"), keras.Input((6,), name="right")
    gap = ops.square(tower(left) - tower(right))
    return keras.Model([left, right], layers.Dense(1)(gap))


@keras.saving.register_keras_serializable(package="gauntlet")
class SoftTree(layers.Layer):
    """A tree that sends each row to all leaves by shares; it gives probabilities."""

    def __init__(self, depth, classes, **kwargs):
        super().__init__(**kwargs)
        self.depth = depth
        self.classes = classes
        self.decide = layers.Dense(2**depth - 1, activation="sigmoid")

    def build(self, shape):
        self.decide.build(shape)
        self.leaves = self.add_weight(
            name="leaves", shape=(2**self.depth, self.classes),
            initializer="random_normal")

    def call(self, inputs):
        right = self.decide(inputs)
        shares = [ops.ones_like(right[:, 0])]
        for node in range(2**self.depth - 1):  # Children follow their level.
            share = shares[node]
            shares += [share * (1.0 - right[:, node]), share * right[:, node]]
        reached = ops.stack(shares[2**self.depth - 1:], axis=1)
        return ops.matmul(reached, ops.softmax(self.leaves))

    def get_config(self):
        return {**super().get_config(), "depth": self.depth, "classes": self.classes}


@network("neural decision tree: probabilities without a softmax layer", numbers(6),
         indices(below=3), {"type": "categorical", "from_logits": False})
def decision_tree():
    inputs = keras.Input((6,), name="features")
    x = layers.Dropout(0.2)(layers.BatchNormalization()(inputs))
    return keras.Model(inputs, SoftTree(2, 3)(x))


@keras.saving.register_keras_serializable(package="gauntlet")
class GatedResidual(layers.Layer):
    """Perceptron with a gate and a skip."""

    def __init__(self, units, rate, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.rate = rate
        self.first = layers.Dense(units, activation="elu")
        self.second = layers.Dense(units)
        self.drop = layers.Dropout(rate)
        self.gate = layers.Dense(units, activation="sigmoid")
        self.norm = layers.LayerNormalization()
        self.project = layers.Dense(units)

    def build(self, shape):
        inner = (*shape[:-1], self.units)
        for layer, size in ((self.first, shape), (self.second, inner),
                            (self.gate, inner), (self.norm, inner),
                            (self.project, shape)):
            layer.build(size)

    def call(self, inputs):
        x = self.drop(self.second(self.first(inputs)))
        return self.norm(self.project(inputs) + self.gate(x) * x)

    def get_config(self):
        return {**super().get_config(), "units": self.units, "rate": self.rate}


@keras.saving.register_keras_serializable(package="gauntlet")
class SelectedVariables(layers.Layer):
    """Weighs columns by a softmax, each column behind a block of its own."""

    def __init__(self, columns, units, rate=0.2, **kwargs):
        super().__init__(**kwargs)
        self.columns, self.units, self.rate = columns, units, rate
        self.blocks = [GatedResidual(units, rate) for _ in range(columns)]
        self.weigh = GatedResidual(units, rate)
        self.shares = layers.Dense(columns, activation="softmax")

    def build(self, shape):
        for block in self.blocks:
            block.build((None, 1))
        self.weigh.build(shape)
        self.shares.build((None, self.units))

    def call(self, inputs):
        each = [block(inputs[:, place:place + 1])
                for place, block in enumerate(self.blocks)]
        shares = self.shares(self.weigh(inputs))
        return ops.sum(ops.stack(each, axis=1) * shares[..., None], axis=1)

    def get_config(self):
        return {**super().get_config(), "columns": self.columns, "units": self.units,
                "rate": self.rate}


@network("variable selection by gated residual blocks", numbers(3), indices(below=2))
def variable_selection():
    inputs = keras.Input((3,), name="features")
    return keras.Model(inputs, layers.Dense(2)(SelectedVariables(3, 4)(inputs)))


@keras.saving.register_keras_serializable(package="gauntlet")
class Experts(layers.Layer):
    """Experts in a list, mixed by a gate."""

    def __init__(self, count, units, **kwargs):
        super().__init__(**kwargs)
        self.count = count
        self.units = units
        self.experts = [layers.Dense(units, activation="relu") for _ in range(count)]
        self.gate = layers.Dense(count, activation="softmax")

    def build(self, shape):
        for layer in (*self.experts, self.gate):
            layer.build(shape)

    def call(self, inputs):
        answers = ops.stack([expert(inputs) for expert in self.experts], axis=-1)
        return ops.sum(answers * self.gate(inputs)[:, None], axis=-1)

    def get_config(self):
        return {**super().get_config(), "count": self.count, "units": self.units}


@network("mixture of experts with a gate", numbers(6), numbers(1, seed=9), "gaussian")
def mixture_of_experts():
    inputs = keras.Input((6,), name="features")
    x = layers.Dropout(0.2)(Experts(3, 5)(inputs))
    return keras.Model(inputs, layers.Dense(1)(x))


@network("input scaled by numbers that are known", numbers(4), numbers(1, seed=9),
         "gaussian", keeps=("known_scale",))
def known_scale():
    inputs = keras.Input((4,), name="features")
    x = layers.Normalization(mean=np.arange(4.0), variance=np.full(4, 4.0),
                             name="known_scale")(inputs)
    x = layers.Dropout(0.1)(layers.Dense(6, activation="relu")(x))
    return keras.Model(inputs, layers.Dense(1)(x))
