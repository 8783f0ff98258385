"""LeNet-5 in the form of the uncertainty baselines.

    conv 6 5x5, pool 2, conv 16 5x5, pool 2, conv 120 5x5, dense 84, dense out

545,546 weights on 28x28x1 with ten outputs: the convolutions are padded, so
the last one hands 7 x 7 x 120 numbers to the dense layer.

Reference: Nado et al., Uncertainty Baselines: Benchmarks for Uncertainty and
Robustness in Deep Learning, 2021.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.networks import blocks


@registry.register
def LeNet5(input_shape, outputs=10, activation="relu", dropout=0.0,
           dropout_at="last", conv=None, layer=None, output_layer=None):
    """Builds LeNet-5 with padded convolutions.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`, 4 x 4 at least.
        outputs: Integer, number of raw outputs.
        activation: Name or callable, after every hidden layer.
        dropout: Rate in [0, 1), or spec of a dropout layer; 0 for none.
        dropout_at: `"last"`, only before the output layer; `"all"`, after every
            pooling and every hidden dense layer.
        conv: Spec of the convolutions, see `bdlzoo.networks.blocks`.
        layer: Spec of the dense layers.
        output_layer: Spec of the output layer; `None` is as `layer` says.

    Returns:
        A functional `keras.Model`.
    """
    input_shape = blocks.check_image(input_shape, minimum=4)
    [outputs] = blocks.check_sizes("outputs", (outputs,))
    blocks.check_choice(dropout_at, "last", "all")

    early = dropout if dropout_at == "all" else 0.0
    x = inputs = keras.Input(input_shape)
    for filters in (6, 16):
        x = blocks.conv(conv, filters, 5, "same", activation)(x)
        x = blocks.pool(x, early)
    x = blocks.conv(conv, 120, 5, "same", activation)(x)
    x = keras.layers.Flatten()(x)
    x = blocks.head(x, (84,), outputs, activation, early, dropout, layer,
                    output_layer)
    return keras.Model(inputs, x, name="lenet5")
