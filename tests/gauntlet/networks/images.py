"""Classifiers of images."""

import keras
from keras import layers, ops

from tests.gauntlet.record import Refusal, network
from tests.gauntlet.rows import indices, numbers

PICTURES = numbers(8, 8, 3)
LABELS = indices(below=3)


def _input():
    return keras.Input((8, 8, 3), name="image")


def _head(inputs, x, pool=layers.GlobalAveragePooling2D):
    x = layers.Dropout(0.25)(pool()(x))
    return keras.Model(inputs, layers.Dense(3)(x))


@network("functional CNN", PICTURES, LABELS)
def cnn():
    x = inputs = _input()
    for filters in (4, 6):
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
        x = layers.MaxPooling2D(2)(x)
    return _head(inputs, x, layers.Flatten)


@network("ResNet with skips and BatchNormalization", PICTURES, LABELS)
def resnet():
    inputs = _input()
    x = layers.Conv2D(4, 3, padding="same", use_bias=False)(inputs)
    for stride, filters in ((1, 4), (2, 6)):
        skip = x
        for step in (stride, 1):
            x = layers.BatchNormalization()(x)
            x = layers.ReLU()(x)
            x = layers.Conv2D(filters, 3, step, padding="same", use_bias=False)(x)
        if skip.shape != x.shape:
            skip = layers.Conv2D(filters, 1, stride, use_bias=False)(skip)
        x = x + skip
    return _head(inputs, layers.BatchNormalization()(x))


@network("DenseNet", PICTURES, LABELS)
def densenet():
    inputs = _input()
    x = layers.Conv2D(4, 3, padding="same")(inputs)
    for _ in range(3):
        y = layers.ReLU()(layers.BatchNormalization()(x))
        y = layers.SpatialDropout2D(0.1)(layers.Conv2D(3, 3, padding="same")(y))
        x = layers.Concatenate()([x, y])
    x = layers.AveragePooling2D(2)(layers.Conv2D(5, 1)(x))
    return _head(inputs, x)


@network("MobileNet with depthwise convolutions", PICTURES, LABELS)
def mobilenet():
    inputs = _input()
    x = layers.ZeroPadding2D(((0, 1), (0, 1)))(inputs)
    x = layers.Conv2D(4, 3, 2, use_bias=False)(x)
    for filters in (4, 6):
        y = layers.Conv2D(8, 1, use_bias=False)(x)
        y = layers.ReLU(6.0)(layers.BatchNormalization()(y))
        y = layers.DepthwiseConv2D(3, padding="same", use_bias=False)(y)
        y = layers.ReLU(6.0)(layers.BatchNormalization()(y))
        y = layers.Conv2D(filters, 1, use_bias=False)(y)
        x = layers.add([x, y]) if filters == x.shape[-1] else y
    return _head(inputs, x)


@network("Xception with separable convolutions", PICTURES, LABELS)
def xception():
    inputs = _input()
    x = layers.Rescaling(1 / 127.5, offset=-1.0)(inputs)
    x = layers.Conv2D(4, 3, padding="same")(x)
    skip = layers.Conv2D(6, 1, 2, padding="same")(x)
    for _ in range(2):
        x = layers.Activation("relu")(x)
        x = layers.SeparableConv2D(6, 3, padding="same")(x)
        x = layers.BatchNormalization()(x)
    x = layers.add([layers.MaxPooling2D(3, 2, padding="same")(x), skip])
    return _head(inputs, x)


@network("grouped convolutions and squeeze-and-excitation", PICTURES, LABELS)
def squeeze_and_excite():
    inputs = _input()
    x = layers.Conv2D(6, 3, strides=2, padding="same", activation="swish")(inputs)
    y = layers.GlobalAveragePooling2D(keepdims=True)(x)
    y = layers.Conv2D(2, 1, activation="swish")(y)
    y = layers.Conv2D(6, 1, activation="sigmoid")(y)
    x = layers.multiply([x, y])
    x = layers.Conv2D(6, 3, groups=2, padding="same")(x)
    return _head(inputs, x)


@keras.saving.register_keras_serializable(package="gauntlet")
class ChannelScale(layers.Layer):
    """A learnt factor for each channel."""

    def __init__(self, start=0.1, **kwargs):
        super().__init__(**kwargs)
        self.start = start

    def build(self, shape):
        self.factor = self.add_weight(
            name="factor", shape=(shape[-1],),
            initializer=keras.initializers.Constant(self.start))

    def call(self, inputs):
        return inputs * self.factor

    def get_config(self):
        return {**super().get_config(), "start": self.start}


@network("ConvNeXt with a layer of its own", PICTURES, LABELS)
def convnext():
    inputs = _input()
    x = layers.LayerNormalization(epsilon=1e-6)(layers.Conv2D(6, 2, 2)(inputs))
    for _ in range(2):
        y = layers.DepthwiseConv2D(3, padding="same")(x)
        y = layers.LayerNormalization(epsilon=1e-6)(y)
        y = layers.Dense(6)(layers.Dense(12, activation="gelu")(y))
        x = x + layers.Dropout(0.1, noise_shape=(None, 1, 1, 1))(ChannelScale()(y))
    return _head(inputs, x)


@keras.saving.register_keras_serializable(package="gauntlet")
def squashed(vectors):
    """Vectors with lengths below one."""
    square = ops.sum(ops.square(vectors), axis=-1, keepdims=True)
    return vectors * ops.sqrt(square + 1e-7) / (1.0 + square)


@keras.saving.register_keras_serializable(package="gauntlet")
def lengths(vectors):
    """Lengths of vectors."""
    return ops.sqrt(ops.sum(ops.square(vectors), axis=-1) + 1e-7)


@network("capsules with named functions in Lambda", PICTURES, LABELS, refused={
    "adopted": Refusal("sum to one in each row", "lengths of capsules are neither "
                       "logits nor probabilities that sum to one")})
def capsules():
    inputs = _input()
    x = layers.Conv2D(8, 3, 2, activation="relu")(inputs)
    x = layers.Reshape((-1, 4))(layers.Conv2D(8, 1)(x))
    x = layers.Dropout(0.2)(layers.Lambda(squashed)(x))
    x = layers.Dense(12)(layers.Flatten()(x))
    x = layers.Lambda(squashed)(layers.Reshape((3, 4))(x))
    return keras.Model(inputs, layers.Lambda(lengths, name="lengths")(x))


@network("Lambda with Python code", PICTURES, LABELS, unsafe=True)
def lambda_layer():
    inputs = _input()
    x = layers.Lambda(lambda t: t * 2.0 - 1.0)(inputs)
    x = layers.Conv2D(4, 3, activation="relu")(x)
    return _head(inputs, x)


@network("random augmentation in front", PICTURES, LABELS)
def augmented():
    inputs = _input()
    x = layers.RandomFlip("horizontal", seed=1)(inputs)
    x = layers.RandomTranslation(0.1, 0.1, seed=2)(x)
    x = layers.Conv2D(4, 3, activation="relu")(x)
    return _head(inputs, x)


@network("pyramid with shared convolutions", PICTURES, LABELS)
def pyramid():
    inputs = _input()
    shared = layers.Conv2D(4, 3, padding="same", activation="relu")
    levels = [layers.GlobalMaxPooling2D()(shared(x)) for x in (
        inputs, layers.AveragePooling2D(2)(inputs))]
    x = layers.Dropout(0.2)(layers.concatenate(levels))
    return keras.Model(inputs, layers.Dense(3)(x))
