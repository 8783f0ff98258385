"""Dense networks: how they are written, how they end, and which noise they have."""

import keras
from keras import layers

from tests.gauntlet.record import network
from tests.gauntlet.rows import bits, indices, numbers, one_hot


@network("MLP", numbers(6), indices(below=3))
def mlp():
    x = inputs = keras.Input((6,), name="features")
    for _ in range(2):
        x = layers.Dense(12, activation="relu")(x)
        x = layers.Dropout(0.2)(x)
    return keras.Model(inputs, layers.Dense(3)(x))


@network("Sequential with BatchNormalization", numbers(5), indices(below=2))
def sequential():
    return keras.Sequential([
        keras.Input((5,), name="features"), layers.Dense(10, use_bias=False),
        layers.BatchNormalization(), layers.Activation("relu"), layers.Dropout(0.3),
        layers.Dense(2)])


@network("Sequential without an input", numbers(7), indices(below=4))
def deferred():
    return keras.Sequential([
        layers.Dense(9, activation="tanh", kernel_regularizer="l2"),
        layers.Dropout(0.25), layers.Dense(4)])


@network("softmax at the end", numbers(6), indices(below=3),
         {"type": "categorical", "from_logits": False})
def softmax_end():
    x = inputs = keras.Input((6,), name="features")
    x = layers.Dense(10, activation="gelu")(x)
    x = layers.Dropout(0.2)(x)
    return keras.Model(inputs, layers.Dense(3, activation="softmax")(x))


@network("one-hot labels", numbers(6), one_hot(classes=4))
def one_hot_labels():
    x = inputs = keras.Input((6,), name="features")
    x = layers.Dropout(0.2)(layers.Dense(10, activation="relu")(x))
    return keras.Model(inputs, layers.Dense(4)(x))


@network("sigmoid at the end", numbers(6), bits(1),
         {"type": "bernoulli", "from_logits": False})
def binary_sigmoid():
    x = inputs = keras.Input((6,), name="features")
    x = layers.Dropout(0.2)(layers.Dense(10, activation="relu")(x))
    return keras.Model(inputs, layers.Dense(1, activation="sigmoid")(x))


@network("multi-label", numbers(6), bits(5), "bernoulli")
def multi_label():
    x = inputs = keras.Input((6,), name="features")
    x = layers.Dropout(0.2)(layers.Dense(12, activation="relu")(x))
    return keras.Model(inputs, layers.Dense(5)(x))


@network("mean and variance", numbers(4), numbers(2, seed=9),
         "heteroscedastic_gaussian")
def mean_and_variance():
    x = inputs = keras.Input((4,), name="features")
    x = layers.Dropout(0.1)(layers.Dense(12, activation="softplus")(x))
    return keras.Model(inputs, layers.Dense(4)(x))


@network("AlphaDropout", numbers(6), indices(below=3),
         unreached="self_normalising_noise")
def alpha_dropout():
    return keras.Sequential([
        keras.Input((6,), name="features"),
        layers.Dense(12, activation="selu", kernel_initializer="lecun_normal"),
        layers.AlphaDropout(0.2, name="self_normalising_noise"), layers.Dense(3)])


@network("SpatialDropout and GaussianDropout", numbers(8, 3), indices(below=3))
def other_dropout():
    x = inputs = keras.Input((8, 3), name="signal")
    x = layers.SpatialDropout1D(0.3)(layers.Conv1D(6, 3, activation="relu")(x))
    x = layers.GaussianDropout(0.2)(layers.GlobalAveragePooling1D()(x))
    x = layers.GaussianNoise(0.1)(x)
    return keras.Model(inputs, layers.Dense(3)(x))


@network("one layer at three places", numbers(8), indices(below=3))
def shared_layer():
    x = inputs = keras.Input((8,), name="features")
    shared = layers.Dense(8, activation="tanh", name="shared")
    x = layers.Dropout(0.2)(shared(x))
    x = layers.add([shared(x), shared(shared(x))])
    return keras.Model(inputs, layers.Dense(3)(x))


@network("nested functional models", numbers(6), indices(below=3))
def nested():
    def block(width, name):
        x = inputs = keras.Input((width,))
        x = layers.Dense(8, activation="relu")(x)
        return keras.Model(inputs, layers.Dropout(0.2)(x), name=name)

    tower = keras.Sequential([keras.Input((6,)), block(6, "lower"), block(8, "upper")],
                             name="tower")
    inputs = keras.Input((6,), name="features")
    return keras.Model(inputs, layers.Dense(3)(tower(inputs)))


@network("frozen layers below", numbers(6), indices(below=3))
def frozen_backbone():
    x = inner = keras.Input((6,))
    for width in (10, 8):
        x = layers.Dense(width, activation="relu")(x)
        x = layers.BatchNormalization()(x)
    backbone = keras.Model(inner, x, name="backbone")
    backbone.trainable = False
    inputs = keras.Input((6,), name="features")
    x = layers.Dropout(0.2)(backbone(inputs, training=False))
    return keras.Model(inputs, layers.Dense(3)(x))


@network("no dropout", numbers(6), indices(below=3), drops=False)
def without_noise():
    x = inputs = keras.Input((6,), name="features")
    x = layers.Dense(8, activation="relu")(x)
    return keras.Model(inputs, layers.Dense(3)(x))


@network("wrapped, group and unit normalisation", numbers(6, 4), indices(below=3))
def normalisations():
    x = inputs = keras.Input((6, 4), name="signal")
    x = layers.SpectralNormalization(layers.Conv1D(8, 3, padding="same"))(x)
    x = layers.GroupNormalization(groups=2)(x)
    x = layers.Dropout(0.2)(layers.Activation("silu")(x))
    x = layers.SpectralNormalization(layers.Dense(6), power_iterations=2)(
        layers.Flatten()(x))
    x = layers.RMSNormalization()(layers.UnitNormalization()(x))
    return keras.Model(inputs, layers.Dense(3)(x))
