"""Wide residual network for small images.

    conv 16, 3 stages of (depth - 4) / 6 blocks with 16, 32 and 64 times `width`
    filters, norm, relu, mean, dense out

36,479,194 weights at depth 28 and width 10 on 32x32x3 with ten outputs. A block is
norm, relu, conv, norm, relu, dropout, conv, and the sum with its input. If filters or
sides change, the shortcut is a 1x1 convolution after the first relu. All other
convolutions are 3x3; none has a bias.

Reference: Zagoruyko and Komodakis, Wide Residual Networks, BMVC 2016.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.networks import blocks


@registry.register
def WideResNet(input_shape, depth=28, width=10, outputs=10, activation="relu",
               dropout=0.0, conv=None, layer=None):
    """Builds a wide residual network, by default WRN-28-10.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`.
        depth: Integer, 6 n + 4 for n blocks in each stage.
        width: Integer, factor of the number of filters.
        outputs: Integer, number of raw outputs.
        activation: Name or callable, after the norms.
        dropout: Rate in [0, 1), or spec of a dropout layer, inside the blocks; 0
            for none.
        conv: Spec of the convolutions: `None` for those of Keras, a name such as
            `"Conv2DFlipout"`, a dictionary with `type` and arguments, or a callable.
        layer: Spec of the output layer, of the same kind.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = WideResNet((32, 32, 3), depth=16, width=4)
    ```
    """
    input_shape = blocks.check_image(input_shape)
    width, outputs = blocks.check_sizes("width and outputs", (width, outputs))
    if depth < 10 or depth % 6 != 4:
        raise ValueError("Expected a depth of 6 n + 4, such as 16, 22 or 28. "
                         f"Received: depth={depth}")

    def bent(x):
        x = keras.layers.BatchNormalization(momentum=0.9)(x)
        return keras.layers.Activation(activation)(x)

    x = inputs = keras.Input(input_shape)
    x = blocks.convolution(conv, 16, 3)(x)
    for stage in range(3):
        filters = 16 * 2**stage * width
        for block in range((depth - 4) // 6):
            stride = 2 if stage and not block else 1
            same = stride == 1 and x.shape[-1] == filters
            start = bent(x)
            around = x if same else blocks.convolution(conv, filters, 1, stride)(start)
            x = bent(blocks.convolution(conv, filters, 3, stride)(start))
            x = blocks.convolution(conv, filters, 3)(blocks.drop(x, dropout))
            x = keras.layers.Add()([x, around])
    x = keras.layers.GlobalAveragePooling2D()(bent(x))
    return keras.Model(inputs, blocks.dense(layer, outputs)(x), name="wide_resnet")
