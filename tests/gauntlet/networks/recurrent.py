"""Recurrent networks, with dropout beside and inside their cells."""

import keras
from keras import layers, ops

from tests.gauntlet.record import network
from tests.gauntlet.rows import indices, numbers, padded

SIGNAL = numbers(6, 3)
TOKENS = padded(6, below=12)


def _input():
    return keras.Input((6, 3), name="signal")


@network("LSTM with Dropout behind it", SIGNAL, indices(below=3))
def lstm():
    inputs = _input()
    x = layers.Dropout(0.2)(layers.LSTM(6)(inputs))
    return keras.Model(inputs, layers.Dense(3)(x))


@network("LSTM with dropout inside", SIGNAL, indices(below=3))
def lstm_dropout():
    inputs = _input()
    x = layers.LSTM(6, dropout=0.3, recurrent_dropout=0.3)(inputs)
    return keras.Model(inputs, layers.Dense(3)(x))


@network("two GRUs with dropout inside", SIGNAL, indices(below=3))
def gru():
    inputs = _input()
    x = layers.GRU(5, return_sequences=True, dropout=0.3)(inputs)
    x = layers.GRU(5, reset_after=False, recurrent_dropout=0.2)(x)
    return keras.Model(inputs, layers.Dense(3)(x))


@network("RNN of stacked cells", SIGNAL, indices(below=3))
def stacked_cells():
    inputs = _input()
    cells = [layers.LSTMCell(5, dropout=0.3), layers.GRUCell(4)]
    x = layers.RNN(layers.StackedRNNCells(cells))(inputs)
    return keras.Model(inputs, layers.Dense(3)(x))


@network("Bidirectional LSTM", SIGNAL, indices(below=2))
def bidirectional():
    inputs = _input()
    x = layers.Bidirectional(layers.LSTM(4, return_sequences=True))(inputs)
    x = layers.Bidirectional(layers.SimpleRNN(4, dropout=0.3), merge_mode="sum")(x)
    return keras.Model(inputs, layers.Dense(2)(x))


@network("ConvLSTM2D, next frame", numbers(3, 6, 6, 1), numbers(6, 6, 1, seed=7),
         "gaussian")
def conv_lstm():
    inputs = keras.Input((3, 6, 6, 1), name="clip")
    x = layers.ConvLSTM2D(3, 3, padding="same", dropout=0.3)(inputs)
    return keras.Model(inputs, layers.Conv2D(1, 3, padding="same")(x))


@network("LSTM of padded words", TOKENS, indices(below=3))
def masked_lstm():
    inputs = keras.Input((6,), dtype="int32", name="words")
    x = layers.Embedding(12, 5, mask_zero=True)(inputs)
    x = layers.Dropout(0.2)(layers.LSTM(5)(x))
    return keras.Model(inputs, layers.Dense(3)(x))


@network("Masking in front of a GRU", SIGNAL * (TOKENS > 0)[..., None],
         indices(below=3))
def masked_gru():
    inputs = _input()
    x = layers.Masking(0.0)(inputs)
    x = layers.Dropout(0.2)(layers.GRU(4)(x))
    return keras.Model(inputs, layers.Dense(3)(x))


@network("LSTM forecaster", SIGNAL, numbers(1, seed=7), "gaussian")
def lstm_forecaster():
    return keras.Sequential([
        keras.Input((6, 3), name="signal"), layers.LSTM(6, return_sequences=True),
        layers.Dropout(0.2), layers.LSTM(4), layers.Dense(1)])


@network("sequence tagger with padding", TOKENS, indices(6, below=4))
def tagger():
    inputs = keras.Input((6,), dtype="int32", name="words")
    x = layers.Embedding(12, 5, mask_zero=True)(inputs)
    x = layers.Bidirectional(layers.LSTM(4, return_sequences=True))(x)
    x = layers.TimeDistributed(layers.Dense(5, activation="relu"))(x)
    return keras.Model(inputs, layers.Dense(4)(layers.Dropout(0.2)(x)))


@network("sequence to sequence with attention",
         [numbers(5, 2), indices(4, below=7, seed=8)], indices(4, below=7))
def sequence_to_sequence():
    source = keras.Input((5, 2), name="source")
    so_far = keras.Input((4,), dtype="int32", name="so_far")
    coded, *state = layers.LSTM(4, return_sequences=True, return_state=True)(source)
    x = layers.Embedding(7, 4)(so_far)
    x = layers.LSTM(4, return_sequences=True)(x, initial_state=state)
    x = layers.concatenate([x, layers.Attention()([x, coded])])
    x = layers.Dropout(0.2)(x)
    return keras.Model([source, so_far], layers.Dense(7)(x))


@keras.saving.register_keras_serializable(package="gauntlet")
class LeakyCell(layers.Layer):
    """A cell whose state forgets at a rate that is learnt."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = self.state_size = units
        self.inward = layers.Dense(units)

    def build(self, shape):
        self.inward.build(shape)
        self.leak = self.add_weight(name="leak", shape=(self.units,),
                                    initializer="zeros")

    def call(self, inputs, states):
        [old] = states
        keep = ops.sigmoid(self.leak)
        new = keep * old + (1.0 - keep) * ops.tanh(self.inward(inputs))
        return new, [new]

    def get_config(self):
        return {**super().get_config(), "units": self.units}


@network("RNN of a cell of its own", SIGNAL, indices(below=3))
def own_cell():
    inputs = _input()
    x = layers.Dropout(0.2)(layers.RNN(LeakyCell(5))(inputs))
    return keras.Model(inputs, layers.Dense(3)(x))
