"""The small network has the weights and the dropout it should."""

import keras
import pytest

from bdlzoo.networks.small_cnn import SmallCNN
from tests.networks.architectures import kinds


def test_weights_are_1_199_882_on_digits_of_28():
    network = SmallCNN((28, 28, 1))
    assert network.count_params() == 1_199_882
    assert network.output_shape == (None, 10)
    assert network.layers[-1].activation is keras.activations.linear


def test_activation_follows_every_hidden_layer():
    network = SmallCNN((12, 12, 1), activation="tanh")
    found = [layer.activation for layer in network.layers
             if hasattr(layer, "activation")]
    assert found[:-1] == [keras.activations.tanh] * 3


def test_filters_and_hidden_sizes_are_free():
    network = SmallCNN((8, 8, 1), filters=(4, 8), hidden=(16,))
    assert network.count_params() == 40 + 296 + (2 * 2 * 8 + 1) * 16 + 170


def test_pair_of_rates_is_one_for_the_pooling_and_one_for_the_dense_layer():
    """The published network drops 0.25 and 0.5."""
    network = SmallCNN((8, 8, 1), dropout=(0.25, 0.5))
    rates = [layer.rate for layer in network.layers
             if isinstance(layer, keras.layers.Dropout)]
    assert rates == [0.25, 0.5]
    network = SmallCNN((8, 8, 1), dropout=(0.25, 0.5), dropout_at="last")
    [layer] = [layer for layer in network.layers
               if isinstance(layer, keras.layers.Dropout)]
    assert layer.rate == 0.5
    with pytest.raises(ValueError, match="pair"):
        SmallCNN((8, 8, 1), dropout=(0.1, 0.2, 0.3))


@pytest.mark.parametrize("place, expected", [
    ("last",
     ["Conv2D", "Conv2D", "MaxPooling2D", "Flatten", "Dense", "Dropout",
      "Dense"]),
    ("all",
     ["Conv2D", "Conv2D", "MaxPooling2D", "Dropout", "Flatten", "Dense",
      "Dropout", "Dense"]),
])
def test_dropout_sits_where_it_is_told(place, expected):
    network = SmallCNN((28, 28, 1), dropout=0.5, dropout_at=place)
    assert kinds(network) == expected
    without = SmallCNN((28, 28, 1), dropout_at=place)
    assert kinds(without) == [k for k in expected if k != "Dropout"]
