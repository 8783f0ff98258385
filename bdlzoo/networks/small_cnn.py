"""Small convolutional network of the failure-prediction experiments.

    conv 32 3x3, conv 64 3x3, pool 2, dropout, dense 128, dropout, dense out

The paper drops 0.25 behind the pooling and 0.5 before the output layer.

Reference: Corbiere et al., Addressing Failure Prediction by Learning Model
Confidence, NeurIPS 2019.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.networks import blocks


@registry.register
def SmallCNN(input_shape, filters=(32, 64), hidden=(128,), outputs=10,
             activation="relu", dropout=0.0, dropout_at="all", conv=None,
             layer=None, output_layer=None):
    """Builds the small convolutional network.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`; 6 x 6
            at least with two convolutions.
        filters: Tuple of integers, filters of each convolution.
        hidden: Tuple of integers, sizes of the hidden dense layers.
        outputs: Integer, number of raw outputs.
        activation: Name or callable, after every hidden layer.
        dropout: Rate in [0, 1), or spec of a dropout layer; 0 for none; or a
            pair of them, for the pooling and for the dense layers.
        dropout_at: `"all"`, after the pooling and every hidden dense layer;
            `"last"`, only before the output layer.
        conv: Spec of the convolutions, see `bdlzoo.networks.blocks`.
        layer: Spec of the dense layers.
        output_layer: Spec of the output layer; `None` is as `layer` says.

    Returns:
        A functional `keras.Model`.
    """
    filters = blocks.check_sizes("filters", filters)
    hidden = blocks.check_sizes("hidden", hidden)
    input_shape = blocks.check_image(input_shape, minimum=2 * len(filters) + 2)
    [outputs] = blocks.check_sizes("outputs", (outputs,))
    blocks.check_choice(dropout_at, "last", "all")

    pair = dropout if isinstance(dropout, (tuple, list)) else (dropout,) * 2
    if len(pair) != 2:
        raise ValueError("Expected one dropout, or a pair of them. "
                         f"Received: dropout={dropout}")
    early = pair if dropout_at == "all" else (0.0, 0.0)
    x = inputs = keras.Input(input_shape)
    for count in filters:
        x = blocks.conv(conv, count, 3, activation=activation)(x)
    x = blocks.pool(x, early[0])
    x = keras.layers.Flatten()(x)
    x = blocks.head(x, hidden, outputs, activation, early[1], pair[1], layer,
                    output_layer)
    return keras.Model(inputs, x, name="small_cnn")
