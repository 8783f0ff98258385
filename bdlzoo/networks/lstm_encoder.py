"""LSTM over the lagged values of a row, beside its other features.

    h = LSTM(y[t - length], ..., y[t - 1])
    y = head([h, other features])              raw: logits, or means

A row holds its features, and behind them the last values, the newest first, as rows of
`metro_traffic` and `pickups` do. `rate` is the dropout of inputs and state of the LSTM,
with one mask for all steps, and that of the last hidden layer.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.networks import blocks


@registry.register
def LSTMEncoder(input_shape, length=24, units=32, hidden=(100,), outputs=10,
                activation="relu", rate=0.0, recurrent=None, layer=None):
    """Builds an encoder of lagged values with a head.

    Args:
        input_shape: Tuple of one integer, number of features of a row.
        length: Integer, number of lagged values, the last features of a row.
        units: Integer, size of the state of the LSTM.
        hidden: Tuple of integers, sizes of the hidden layers behind it.
        outputs: Integer, number of raw outputs.
        activation: Name or callable, after every hidden layer.
        rate: Rate in [0, 1) of dropout inside of the LSTM, and before the output
            layer; 0 for none.
        recurrent: Spec of the recurrent layer: `None` for that of Keras, or a name
            such as `"LSTMFlipout"` or `"NaiveDropoutLSTM"`.
        layer: Spec of the dense layers: `None` for those of Keras, a name such as
            `"DenseFlipout"`, or a dictionary with `type` and arguments.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = LSTMEncoder((46,), outputs=2, rate=0.05)
    ```
    """
    input_shape = blocks.check_sizes("input_shape", input_shape)
    hidden = blocks.check_sizes("hidden", hidden, least=0)
    for name, size in (("length", length), ("units", units), ("outputs", outputs)):
        blocks.check_sizes(name, (size,))
    blocks.check_rates(rate=rate)
    if len(input_shape) != 1 or input_shape[0] < length:
        raise ValueError(
            "Expected flat rows, whose last features are the lagged values. Received: "
            f"input_shape={input_shape}, length={length}")

    inputs = keras.Input(input_shape)
    others = input_shape[0] - length
    column = keras.layers.Reshape((-1, 1))(inputs)
    lags = keras.layers.Cropping1D((others, 0))(column)
    # The newest value stands first: backwards is forward in time.
    state = registry.build("LSTM" if recurrent is None else recurrent, keras.layers,
                           units=units, dropout=rate, recurrent_dropout=rate,
                           go_backwards=True)(lags)
    if others:
        rest = keras.layers.Flatten()(keras.layers.Cropping1D((0, length))(column))
        state = keras.layers.Concatenate()([state, rest])
    x = blocks.head(state, hidden, outputs, activation, rate, rate, layer, None)
    return keras.Model(inputs, x, name="lstm_encoder")
