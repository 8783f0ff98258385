"""The encoder reads lagged values in order of time, beside the other features."""

import keras
import numpy as np
import pytest

from bdlzoo.core import registry
from bdlzoo.layers import LSTMFlipout, NaiveDropoutLSTM
from bdlzoo.networks import LSTMEncoder
from bdlzoo.surgery import conversion


def _recurrent(network):
    [layer] = [layer for layer in network.layers if isinstance(layer, keras.layers.RNN)]
    return layer


def test_outputs_are_those_of_an_lstm_over_the_past_and_a_head():
    network = LSTMEncoder((7,), length=4, units=5, hidden=(), outputs=2)
    x = np.random.default_rng(0).normal(size=(3, 7)).astype("float32")
    stock = keras.layers.LSTM(5)
    stock.build((None, 4, 1))
    stock.set_weights(_recurrent(network).get_weights())
    past = x[:, 3:][:, ::-1, None]  # The oldest value first.
    kernel, bias = network.layers[-1].get_weights()
    expected = np.concatenate([stock(past), x[:, :3]], axis=1) @ kernel + bias
    np.testing.assert_allclose(network(x), expected, atol=1e-5)


def test_recurrent_layer_and_rates_are_those_asked_for():
    network = LSTMEncoder((7,), length=4, rate=0.25, recurrent="NaiveDropoutLSTM")
    layer = _recurrent(network)
    assert isinstance(layer, NaiveDropoutLSTM)
    assert layer.dropout == layer.recurrent_dropout == 0.25
    assert isinstance(network.layers[-2], keras.layers.Dropout)
    network = registry.build({"type": "lstm_encoder", "recurrent": "LSTMFlipout",
                              "length": 4}, input_shape=[7])
    assert isinstance(_recurrent(network), LSTMFlipout)
    assert conversion.stochastic_layers(network)
    assert not conversion.stochastic_layers(LSTMEncoder((7,), length=4))


def test_rows_of_lags_alone_need_no_other_features():
    network = LSTMEncoder((4,), length=4, units=3, hidden=())
    assert network.count_params() == 4 * 3 * (1 + 3 + 1) + 4 * 10


@pytest.mark.parametrize("wrong, name", [
    ({"length": 9}, "input_shape"), ({"rate": 1.0}, "rate"), ({"units": 0}, "units"),
    ({"input_shape": (3, 2)}, "input_shape")])
def test_wrong_arguments_are_named(wrong, name):
    with pytest.raises(ValueError, match=f"Received: {name}="):
        LSTMEncoder(**{"input_shape": (7,), "length": 4, **wrong})
