"""Networks of attention and mixing over the patches of an image."""

import keras
import numpy as np
from keras import layers, ops

from tests.gauntlet.record import network
from tests.gauntlet.rows import indices, numbers

PICTURES = numbers(8, 8, 3)
LABELS = indices(below=3)


def _input():
    return keras.Input((8, 8, 3), name="image")


@keras.saving.register_keras_serializable(package="gauntlet")
class CutPatches(layers.Layer):
    """Cuts an image into square patches, a row of numbers each."""

    def __init__(self, size, **kwargs):
        super().__init__(**kwargs)
        self.size = size

    def call(self, images):
        patches = ops.image.extract_patches(images, self.size)
        return ops.reshape(patches, (-1, patches.shape[1] * patches.shape[2],
                                     patches.shape[3]))

    def get_config(self):
        return {**super().get_config(), "size": self.size}


@keras.saving.register_keras_serializable(package="gauntlet")
class PatchCode(layers.Layer):
    """Projects patches, puts a class token in front, and adds places."""

    def __init__(self, num_patches, width, **kwargs):
        super().__init__(**kwargs)
        self.num_patches = num_patches
        self.width = width
        self.projection = layers.Dense(width)
        self.places = layers.Embedding(num_patches + 1, width)

    def build(self, shape):
        self.token = self.add_weight(name="token", shape=(1, 1, self.width),
                                     initializer="random_normal")
        self.projection.build(shape)
        self.places.build((None,))

    def call(self, patches):
        token = ops.repeat(self.token, ops.shape(patches)[0], axis=0)
        rows = ops.concatenate([token, self.projection(patches)], axis=1)
        return rows + self.places(ops.arange(self.num_patches + 1))

    def get_config(self):
        return {**super().get_config(), "num_patches": self.num_patches,
                "width": self.width}


def _encoder_block(x, width, dropout):
    y = layers.LayerNormalization(epsilon=1e-6)(x)
    y = layers.MultiHeadAttention(2, width // 2, dropout=dropout)(y, y)
    x = layers.Add()([x, y])
    y = layers.LayerNormalization(epsilon=1e-6)(x)
    y = layers.Dense(2 * width, activation="gelu")(y)
    y = layers.Dense(width)(layers.Dropout(dropout)(y))
    return layers.Add()([x, y])


@network("ViT with layers of its own for patches and class token", PICTURES, LABELS)
def vision_transformer():
    inputs = _input()
    x = PatchCode(4, 8)(CutPatches(4)(inputs))
    for _ in range(2):
        x = _encoder_block(x, 8, 0.1)
    x = layers.LayerNormalization(epsilon=1e-6)(x)
    return keras.Model(inputs, layers.Dense(3)(x[:, 0]))


@network("ViT of stock layers", PICTURES, LABELS)
def functional_transformer():
    inputs = _input()
    x = layers.Reshape((4, 8))(layers.Conv2D(8, 4, 4)(inputs))
    # Computed from `x`: an embedding of constants would be a constant of the graph.
    places = ops.cumsum(ops.ones_like(x[..., 0], dtype="int32"), axis=1) - 1
    x = x + layers.Embedding(4, 8)(places)
    x = _encoder_block(x, 8, 0.1)
    return keras.Model(inputs, layers.Dense(3)(layers.GlobalAveragePooling1D()(x)))


@network("dropout inside MultiHeadAttention only", numbers(5, 6), LABELS)
def attention_dropout():
    inputs = keras.Input((5, 6), name="set")
    x = layers.MultiHeadAttention(2, 4, dropout=0.4)(inputs, inputs)
    x = layers.GroupQueryAttention(4, 4, 2)(x, x)
    return keras.Model(inputs, layers.Dense(3)(layers.GlobalMaxPooling1D()(x)))


@keras.saving.register_keras_serializable(package="gauntlet")
class MixerBlock(layers.Layer):
    """Mixes patches, then channels, by a Sequential model each."""

    def __init__(self, hidden, rate, **kwargs):
        super().__init__(**kwargs)
        self.hidden = hidden
        self.rate = rate

    def build(self, shape):
        _, patches, channels = shape
        self.across = self._perceptron(patches)
        self.within = self._perceptron(channels)
        self.across.build((None, channels, patches))
        self.within.build(shape)
        self.first = layers.LayerNormalization()
        self.second = layers.LayerNormalization()
        self.first.build(shape)
        self.second.build(shape)

    def _perceptron(self, width):
        return keras.Sequential([layers.Dense(self.hidden, activation="gelu"),
                                 layers.Dropout(self.rate), layers.Dense(width)])

    def call(self, inputs, training=False):
        turned = ops.transpose(self.first(inputs), (0, 2, 1))
        mixed = self.across(turned, training=training)
        x = inputs + ops.transpose(mixed, (0, 2, 1))
        return x + self.within(self.second(x), training=training)

    def get_config(self):
        return {**super().get_config(), "hidden": self.hidden, "rate": self.rate}


@network("MLP-Mixer with Sequential models in a layer", PICTURES, LABELS)
def mlp_mixer():
    inputs = _input()
    x = layers.Dense(6)(CutPatches(4)(inputs))
    x = MixerBlock(8, 0.2)(MixerBlock(8, 0.2)(x))
    return keras.Model(inputs, layers.Dense(3)(layers.GlobalAveragePooling1D()(x)))


@keras.saving.register_keras_serializable(package="gauntlet")
class FourierMixing(layers.Layer):
    """Mixes by a Fourier transform of two axes, and a perceptron that it holds."""

    def __init__(self, hidden, rate=0.1, **kwargs):
        super().__init__(**kwargs)
        self.hidden = hidden
        self.rate = rate
        self.norms = [layers.LayerNormalization(), layers.LayerNormalization()]
        self.widen = layers.Dense(hidden, activation="gelu")
        self.drop = layers.Dropout(rate)

    def build(self, shape):
        self.narrow = layers.Dense(shape[-1])
        for norm in self.norms:
            norm.build(shape)
        self.widen.build(shape)
        self.narrow.build((*shape[:-1], self.hidden))

    def call(self, inputs):
        real, _ = ops.fft2((inputs, ops.zeros_like(inputs)))
        x = self.norms[0](inputs + real)
        return self.norms[1](x + self.narrow(self.drop(self.widen(x))))

    def get_config(self):
        return {**super().get_config(), "hidden": self.hidden, "rate": self.rate}


@network("FNet with Fourier transforms", PICTURES, LABELS)
def fnet():
    inputs = _input()
    x = layers.Dense(8)(CutPatches(4)(inputs))
    x = FourierMixing(8, name="mixing")(x)
    return keras.Model(inputs, layers.Dense(3)(layers.GlobalAveragePooling1D()(x)))


@keras.saving.register_keras_serializable(package="gauntlet")
class WindowAttention(layers.Layer):
    """Attention inside windows, with a learnt bias for each relative place."""

    def __init__(self, window, heads, rate=0.0, **kwargs):
        super().__init__(**kwargs)
        self.window = window
        self.heads = heads
        self.rate = rate
        self.drop = layers.Dropout(rate)

    def build(self, shape):
        width = shape[-1]
        self.mixed = layers.Dense(3 * width, use_bias=False)
        self.mixed.build(shape)
        self.after = layers.Dense(width)
        self.after.build(shape)
        places = 2 * self.window - 1
        self.bias = self.add_weight(name="bias", shape=(places**2, self.heads),
                                    initializer="random_normal")
        grid = np.stack(np.meshgrid(*2 * [np.arange(self.window)], indexing="ij"))
        gaps = grid.reshape(2, -1, 1) - grid.reshape(2, 1, -1) + self.window - 1
        index = gaps[0] * places + gaps[1]
        self.index = self.add_weight(
            name="index", shape=index.shape, dtype="int32", trainable=False,
            initializer=lambda shape, dtype: ops.convert_to_tensor(index, dtype))

    def call(self, windows):
        size, width = self.window**2, windows.shape[-1]
        mixed = ops.reshape(self.mixed(windows),
                            (-1, size, 3, self.heads, width // self.heads))
        query, key, value = ops.unstack(ops.transpose(mixed, (2, 0, 3, 1, 4)), axis=0)
        scores = ops.matmul(query, ops.swapaxes(key, -1, -2)) * width**-0.5
        bias = ops.take(self.bias, ops.reshape(self.index, (-1,)), axis=0)
        bias = ops.transpose(ops.reshape(bias, (size, size, self.heads)), (2, 0, 1))
        shares = self.drop(ops.softmax(scores + bias[None]))
        found = ops.transpose(ops.matmul(shares, value), (0, 2, 1, 3))
        return self.after(ops.reshape(found, (-1, size, width)))

    def get_config(self):
        return {**super().get_config(), "window": self.window, "heads": self.heads,
                "rate": self.rate}


@keras.saving.register_keras_serializable(package="gauntlet")
class SwinBlock(layers.Layer):
    """Window attention on a map that is shifted by half a window or not."""

    def __init__(self, window=2, shift=0, **kwargs):
        super().__init__(**kwargs)
        self.window = window
        self.shift = shift
        self.norm = layers.LayerNormalization(epsilon=1e-5)
        self.attend = WindowAttention(window, heads=2, rate=0.2)

    def build(self, shape):
        self.norm.build(shape)
        self.attend.build((None, self.window**2, shape[-1]))

    def call(self, inputs):
        size, (_, height, width, depth) = self.window, inputs.shape
        x = ops.roll(self.norm(inputs), (-self.shift, -self.shift), (1, 2))
        x = ops.reshape(x, (-1, height // size, size, width // size, size, depth))
        x = ops.reshape(ops.transpose(x, (0, 1, 3, 2, 4, 5)), (-1, size**2, depth))
        x = ops.reshape(self.attend(x), (-1, height // size, width // size, size,
                                         size, depth))
        x = ops.reshape(ops.transpose(x, (0, 1, 3, 2, 4, 5)),
                        (-1, height, width, depth))
        return inputs + ops.roll(x, (self.shift, self.shift), (1, 2))

    def get_config(self):
        return {**super().get_config(), "window": self.window, "shift": self.shift}


@network("Swin with windows and a table of indices", PICTURES, LABELS)
def swin():
    inputs = _input()
    x = layers.Conv2D(6, 2, 2)(inputs)
    x = SwinBlock(shift=0)(x)
    x = SwinBlock(shift=1)(x)
    x = layers.LayerNormalization()(x)
    return keras.Model(inputs, layers.Dense(3)(layers.GlobalAveragePooling2D()(x)))
