"""LeNet-5 in its most common form today.

    conv 6 5x5 padded, pool 2, conv 16 5x5, pool 2, dense 120, dense 84, dense out

61,706 weights on 28x28x1 with ten outputs; max-pooling has no weights, unlike
the subsampling of the original.

Reference: LeCun et al., Gradient-Based Learning Applied to Document
Recognition, Proceedings of the IEEE, 1998.
"""

from bdlzoo.core import registry
from bdlzoo.networks.blocks import Stage, convolutional


@registry.register
def LeNet5Classic(input_shape, outputs=10, activation="relu", dropout=0.0,
                  dropout_at="last", conv=None, layer=None, output_layer=None):
    """Builds the small LeNet-5.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`, 12 x 12 at least.
        outputs: Integer, number of raw outputs.
        activation: Name or callable, after the hidden layers.
        dropout: Rate in [0, 1), or spec of a dropout layer; 0 for none; or a pair of
            them, one for the poolings and one for the dense layers.
        dropout_at: `"last"`, only before the output layer; `"all"`, after every
            pooling and every hidden dense layer.
        conv: Spec of the convolutions: `None` for those of Keras, a name such as
            `"Conv2DFlipout"`, a dictionary with `type` and arguments, or a callable.
        layer: Spec of the dense layers, of the same kind.
        output_layer: Spec of the output layer; `None` is the same as `layer`.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = LeNet5Classic((28, 28, 1), dropout=0.5)
    ```
    """
    stages = (Stage(6, padding="same"), Stage(16))
    return convolutional("lenet5_classic", input_shape, 12, stages, (120, 84),
                         outputs, activation, dropout, dropout_at, conv, layer,
                         output_layer)
