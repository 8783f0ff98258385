"""Networks that users bring: every kind that the zoo says it takes."""

import keras


def skips():
    """Functional, with BatchNorm, a skip and dropout in the middle."""
    inputs = keras.Input((6,))
    x = keras.layers.Dense(8)(inputs)
    x = keras.layers.BatchNormalization()(x)
    early = keras.layers.Activation("relu")(x)
    x = keras.layers.Dropout(0.5)(early)
    x = keras.layers.Dense(8, activation="relu")(x)
    x = keras.layers.Concatenate()([x, early])
    return keras.Model(inputs, keras.layers.Dense(3)(x))


@keras.saving.register_keras_serializable(package="tests")
class Subclassed(keras.Model):
    """A model whose calls Keras cannot see."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.first = keras.layers.Dense(8, activation="relu")
        self.normal = keras.layers.BatchNormalization()
        self.drop = keras.layers.Dropout(0.5)
        self.last = keras.layers.Dense(3)

    def call(self, inputs, training=False):
        x = self.normal(self.first(inputs), training=training)
        return self.last(self.drop(x, training=training))


def subclassed():
    """Subclassed, with BatchNorm and dropout inside."""
    return Subclassed()


def nested():
    """Models in models: one random and shared, one deterministic."""
    block = keras.Sequential([
        keras.Input((6,)), keras.layers.Dense(6, activation="relu"),
        keras.layers.BatchNormalization(), keras.layers.Dropout(0.5)])
    stem = keras.Sequential([keras.Input((6,)), keras.layers.Dense(6)])
    inputs = keras.Input((6,))
    x = block(block(stem(inputs)))
    return keras.Model(inputs, keras.layers.Dense(3)(x))


def sequential():
    """Sequential, with dropout on the input already."""
    return keras.Sequential([
        keras.Input((6,)), keras.layers.GaussianDropout(0.3),
        keras.layers.Dense(8, activation="relu"), keras.layers.Dropout(0.5),
        keras.layers.Dense(3)])


@keras.saving.register_keras_serializable(package="tests")
class Builder(keras.layers.Layer):
    """A layer that builds the layer inside in its own `build`."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.dense = keras.layers.Dense(units)

    def build(self, shape):
        self.dense.build(shape)

    def call(self, inputs):
        return self.dense(inputs)

    def get_config(self):
        return {**super().get_config(), "units": self.units}


@keras.saving.register_keras_serializable(package="tests")
class Block(keras.layers.Layer):
    """A block of a transformer: layers in attributes, in a list and in a model.

    The layers of attention are made in `build`, those of the rest in `__init__`, and
    built when they are first called.
    """

    def __init__(self, width=8, rate=0.5, **kwargs):
        super().__init__(**kwargs)
        self.width, self.rate = width, rate
        self.attention = keras.layers.MultiHeadAttention(2, 4, dropout=rate)
        self.norms = [keras.layers.LayerNormalization() for _ in range(2)]
        self.mlp = keras.Sequential([
            keras.layers.Dense(2 * width, activation="gelu"),
            keras.layers.Dense(width)])
        self.parts = {"drop": keras.layers.Dropout(rate)}

    def build(self, input_shape):
        self.shift = self.add_weight(shape=(self.width,), initializer="normal")

    def call(self, inputs, training=False):
        x = self.norms[0](inputs)
        x = inputs + self.attention(x, x, training=training) + self.shift
        rest = self.mlp(self.norms[1](x))
        return x + self.parts["drop"](rest, training=training)

    def get_config(self):
        return {**super().get_config(), "width": self.width, "rate": self.rate}


def transformer(rate=0.5):
    """Blocks that hold layers, on tokens."""
    inputs = keras.Input((5, 3))
    x = keras.layers.Dense(8)(inputs)
    for _ in range(2):
        x = Block(rate=rate)(x)
    x = keras.layers.GlobalAveragePooling1D()(x)
    return keras.Model(inputs, keras.layers.Dense(3)(x))


ALL = {f.__name__: f for f in (skips, subclassed, nested, sequential)}
