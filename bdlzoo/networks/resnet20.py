"""ResNet-20 for small images.

    conv 16, 3 stages of 3 blocks with 16, 32 and 64 filters, mean, dense out

272,282 weights on 32x32x3 with ten outputs. A block is conv, norm, relu, conv, norm,
the sum with its input, and relu. The first block of the second and of the third stage
halves the sides and has a 1x1 convolution on its shortcut. All other convolutions are
3x3; none has a bias.

Reference: He et al., Deep Residual Learning for Image Recognition, CVPR 2016.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.networks import blocks

_STAGES = (16, 32, 64)
_BLOCKS = 3


@registry.register
def ResNet20(input_shape, outputs=10, activation="relu", dropout=0.0, conv=None,
             layer=None):
    """Builds ResNet-20.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`.
        outputs: Integer, number of raw outputs.
        activation: Name or callable, after the norms and the sums.
        dropout: Rate in [0, 1), or spec of a dropout layer, before the output
            layer; 0 for none.
        conv: Spec of the convolutions: `None` for those of Keras, a name such as
            `"Conv2DFlipout"`, a dictionary with `type` and arguments, or a callable.
        layer: Spec of the output layer, of the same kind.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = ResNet20((32, 32, 3), layer="DenseFlipout")
    ```
    """
    input_shape = blocks.check_image(input_shape)
    [outputs] = blocks.check_sizes("outputs", (outputs,))
    x = inputs = keras.Input(input_shape)
    x = _bent(_convolved(conv, x, _STAGES[0]), activation)
    for stage, filters in enumerate(_STAGES):
        for block in range(_BLOCKS):
            stride = 2 if stage and not block else 1
            around = x if stride == 1 else blocks.convolution(
                conv, filters, 1, stride)(x)
            x = _bent(_convolved(conv, x, filters, stride), activation)
            x = keras.layers.Add()([_convolved(conv, x, filters), around])
            x = keras.layers.Activation(activation)(x)
    x = blocks.drop(keras.layers.GlobalAveragePooling2D()(x), dropout)
    return keras.Model(inputs, blocks.dense(layer, outputs)(x), name="resnet20")


def _convolved(conv, x, filters, stride=1):
    x = blocks.convolution(conv, filters, 3, stride)(x)
    return keras.layers.BatchNormalization(momentum=0.9)(x)


def _bent(x, activation):
    return keras.layers.Activation(activation)(x)
