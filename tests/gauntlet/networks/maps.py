"""Networks with an answer at every position of an image, or several numbers."""

import keras
from keras import layers

from tests.gauntlet.record import network
from tests.gauntlet.rows import bits, indices, numbers

PICTURES = numbers(8, 8, 2)


def _double(x, filters):
    for _ in range(2):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = layers.ReLU()(layers.BatchNormalization()(x))
    return x


@network("U-Net, labels of pixels", PICTURES, indices(8, 8, below=3))
def unet():
    inputs = keras.Input((8, 8, 2), name="image")
    fine = _double(inputs, 4)
    coarse = layers.Dropout(0.2)(_double(layers.MaxPooling2D(2)(fine), 6))
    up = layers.Conv2DTranspose(4, 2, 2)(coarse)
    x = _double(layers.concatenate([up, fine]), 4)
    return keras.Model(inputs, layers.Conv2D(3, 1)(x))


@network("masks of pixels, one sigmoid", PICTURES, bits(8, 8, 1), "bernoulli")
def pixel_mask():
    inputs = keras.Input((8, 8, 2), name="image")
    x = layers.Conv2D(4, 3, padding="same", dilation_rate=2, activation="relu")(inputs)
    x = layers.SpatialDropout2D(0.2)(x)
    return keras.Model(inputs, layers.Conv2D(1, 1)(x))


@network("convolutional autoencoder", PICTURES, PICTURES, "gaussian")
def autoencoder():
    inputs = keras.Input((8, 8, 2), name="image")
    x = layers.Conv2D(4, 3, 2, padding="same", activation="relu")(inputs)
    x = layers.Dropout(0.2)(x)
    x = layers.Conv2DTranspose(4, 3, 2, padding="same", activation="relu")(x)
    return keras.Model(inputs, layers.Conv2D(2, 3, padding="same")(x))


@network("up-scaling by UpSampling2D", PICTURES, numbers(16, 16, 1), "gaussian")
def upscaling():
    inputs = keras.Input((8, 8, 2), name="image")
    x = layers.Conv2D(4, 3, padding="same", activation="relu")(inputs)
    x = layers.Dropout(0.1)(layers.UpSampling2D(interpolation="bilinear")(x))
    return keras.Model(inputs, layers.Conv2D(1, 3, padding="same")(x))


@network("key points of an image", PICTURES, numbers(1, 1, 6, seed=8), "gaussian")
def key_points():
    inputs = keras.Input((8, 8, 2), name="image")
    x = layers.Conv2D(6, 3, 2, activation="relu")(inputs)
    x = layers.Dropout(0.3)(x)
    x = layers.SeparableConv2D(6, 2, activation="relu")(x)
    return keras.Model(inputs, layers.SeparableConv2D(6, 2)(x))


@network("video through Conv3D", numbers(4, 6, 6, 1), indices(below=3))
def video():
    inputs = keras.Input((4, 6, 6, 1), name="clip")
    x = layers.Conv3D(4, 3, padding="same", activation="relu")(inputs)
    x = layers.MaxPooling3D((1, 2, 2))(layers.BatchNormalization()(x))
    x = layers.Dropout(0.2)(layers.GlobalAveragePooling3D()(x))
    return keras.Model(inputs, layers.Dense(3)(x))


@network("frames through TimeDistributed", numbers(3, 6, 6, 1), indices(below=3))
def frames():
    tower = keras.Sequential([
        keras.Input((6, 6, 1)), layers.Conv2D(4, 3, activation="relu"),
        layers.GlobalAveragePooling2D()], name="tower")
    inputs = keras.Input((3, 6, 6, 1), name="clip")
    x = layers.Dropout(0.2)(layers.TimeDistributed(tower)(inputs))
    return keras.Model(inputs, layers.Dense(3)(layers.Flatten()(x)))
