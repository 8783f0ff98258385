"""LeNet-5 as it is mostly drawn today.

    conv 6 5x5 padded, pool 2, conv 16 5x5, pool 2, dense 120, dense 84, dense out

61,706 weights on 28x28x1 with ten outputs; max-pooling has no weights, unlike
the subsampling of the original.

Reference: LeCun et al., Gradient-Based Learning Applied to Document
Recognition, Proceedings of the IEEE, 1998.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.networks import blocks


@registry.register
def LeNet5Classic(input_shape, outputs=10, activation="relu", dropout=0.0,
                  dropout_at="last", conv=None, layer=None, output_layer=None):
    """Builds the small LeNet-5.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`, 12 x 12 at least.
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
    input_shape = blocks.check_image(input_shape, minimum=12)
    [outputs] = blocks.check_sizes("outputs", (outputs,))
    blocks.check_choice(dropout_at, "last", "all")

    early = dropout if dropout_at == "all" else 0.0
    x = inputs = keras.Input(input_shape)
    for filters, padding in ((6, "same"), (16, "valid")):
        x = blocks.conv(conv, filters, 5, padding, activation)(x)
        x = blocks.pool(x, early)
    x = keras.layers.Flatten()(x)
    x = blocks.head(x, (120, 84), outputs, activation, early, dropout, layer,
                    output_layer)
    return keras.Model(inputs, x, name="lenet5_classic")
