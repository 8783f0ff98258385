"""Networks of convolutions and attention over time."""

import keras
from keras import layers, ops

from tests.gauntlet.record import network
from tests.gauntlet.rows import indices, numbers

SIGNAL = numbers(12, 2)


def _input():
    return keras.Input((12, 2), name="signal")


@network("time-series transformer", SIGNAL, indices(below=2))
def series_transformer():
    x = inputs = _input()
    for _ in range(2):
        y = layers.MultiHeadAttention(key_dim=4, num_heads=2, dropout=0.2)(x, x)
        x = layers.LayerNormalization(epsilon=1e-6)(layers.Dropout(0.2)(y) + x)
        y = layers.Conv1D(4, 1, activation="relu")(x)
        y = layers.Conv1D(2, 1)(layers.Dropout(0.2)(y))
        x = layers.LayerNormalization(epsilon=1e-6)(y + x)
    x = layers.GlobalAveragePooling1D(data_format="channels_last")(x)
    return keras.Model(inputs, layers.Dense(2)(x))


@network("Conformer: attention and gated depthwise convolution", SIGNAL,
         indices(below=3))
def conformer():
    inputs = _input()
    x = layers.Dense(6)(inputs)
    y = layers.Dense(12, activation="swish")(layers.LayerNormalization()(x))
    x = x + 0.5 * layers.Dropout(0.2)(layers.Dense(6)(y))
    y = layers.LayerNormalization()(x)
    x = x + layers.MultiHeadAttention(2, 3)(y, y)
    y = layers.Conv1D(12, 1)(layers.LayerNormalization()(x))
    left, right = ops.split(y, 2, axis=-1)
    y = layers.DepthwiseConv1D(3, padding="same")(left * ops.sigmoid(right))
    y = layers.Activation("swish")(layers.BatchNormalization()(y))
    x = layers.LayerNormalization()(x + layers.Dense(6)(y))
    return keras.Model(inputs, layers.Dense(3)(layers.GlobalAveragePooling1D()(x)))


@network("WaveNet with gates and dilation", SIGNAL, indices(12, below=4))
def wavenet():
    inputs = _input()
    x = layers.Conv1D(6, 2, padding="causal")(inputs)
    skips = []
    for rate in (1, 2, 4):
        signal, gate = (layers.Conv1D(6, 2, padding="causal", dilation_rate=rate,
                                      activation=name)(x)
                        for name in ("tanh", "sigmoid"))
        y = layers.Multiply()([signal, gate])
        skips.append(layers.Conv1D(6, 1)(y))
        x = layers.Add()([x, layers.Conv1D(6, 1)(y)])
    x = layers.Dropout(0.2)(layers.ReLU()(layers.Add()(skips)))
    return keras.Model(inputs, layers.Conv1D(4, 1)(x))


@keras.saving.register_keras_serializable(package="gauntlet")
class TemporalBlock(layers.Layer):
    """Two causal convolutions with dropout, and a skip."""

    def __init__(self, filters, dilation, rate=0.2, **kwargs):
        super().__init__(**kwargs)
        self.filters = filters
        self.dilation = dilation
        self.rate = rate
        self.convs = [layers.Conv1D(filters, 3, padding="causal", activation="relu",
                                    dilation_rate=dilation) for _ in range(2)]
        self.drops = [layers.SpatialDropout1D(rate) for _ in range(2)]
        self.match = layers.Conv1D(filters, 1)

    def build(self, shape):
        self.convs[0].build(shape)
        self.convs[1].build((*shape[:-1], self.filters))
        self.match.build(shape)

    def call(self, inputs, training=False):
        x = inputs
        for conv, drop in zip(self.convs, self.drops):
            x = drop(conv(x), training=training)
        return ops.relu(x + self.match(inputs))

    def get_config(self):
        return {**super().get_config(), "filters": self.filters,
                "dilation": self.dilation, "rate": self.rate}


@network("TCN of blocks that hold lists of layers", SIGNAL, numbers(1, seed=7),
         "gaussian")
def temporal_network():
    x = inputs = _input()
    for dilation in (1, 2):
        x = TemporalBlock(5, dilation)(x)
    return keras.Model(inputs, layers.Dense(1)(x[:, -1]))


@network("forecast of several steps by convolutions", SIGNAL, numbers(4, 2, seed=7),
         "gaussian")
def steps_ahead():
    x = inputs = _input()
    x = layers.Conv1D(6, 3, activation="relu")(x)
    x = layers.Dropout(0.2)(layers.Flatten()(x))
    return keras.Model(inputs, layers.Reshape((4, 2))(layers.Dense(8)(x)))
