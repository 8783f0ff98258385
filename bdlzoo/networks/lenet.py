"""LeNet in the sizes of the Caffe example.

    conv 20 5x5, pool 2, conv 50 5x5, pool 2, dense 500, dense out

431,080 weights on 28x28x1 with ten outputs. The convolutions are not padded
and, as in that example, have no activation: the pooling bends their output.

Reference: LeCun et al., Gradient-Based Learning Applied to Document
Recognition, Proceedings of the IEEE, 1998.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.networks import blocks


@registry.register
def LeNet(input_shape, outputs=10, activation="relu", dropout=0.0,
          dropout_at="last", conv=None, layer=None, output_layer=None):
    """Builds LeNet 20-50-500.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`, 16 x 16 at least.
        outputs: Integer, number of raw outputs.
        activation: Name or callable, after the hidden dense layer.
        dropout: Rate in [0, 1), or spec of a dropout layer; 0 for none.
        dropout_at: `"last"`, only before the output layer; `"all"`, after every
            pooling and every hidden dense layer.
        conv: Spec of the convolutions, see `bdlzoo.networks.blocks`.
        layer: Spec of the dense layers.
        output_layer: Spec of the output layer; `None` is as `layer` says.

    Returns:
        A functional `keras.Model`.
    """
    input_shape = blocks.check_image(input_shape, minimum=16)
    [outputs] = blocks.check_sizes("outputs", (outputs,))
    blocks.check_choice(dropout_at, "last", "all")

    early = dropout if dropout_at == "all" else 0.0
    x = inputs = keras.Input(input_shape)
    for filters in (20, 50):
        x = blocks.pool(blocks.conv(conv, filters, 5)(x), early)
    x = keras.layers.Flatten()(x)
    x = blocks.head(x, (500,), outputs, activation, early, dropout, layer,
                    output_layer)
    return keras.Model(inputs, x, name="lenet")
