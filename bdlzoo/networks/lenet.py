"""LeNet in the sizes of the Caffe example.

    conv 20 5x5, pool 2, conv 50 5x5, pool 2, dense 500, dense out

431,080 weights on 28x28x1 with ten outputs. The convolutions are not padded. As in
that example they have no activation, since the pooling is not linear.

Reference: LeCun et al., Gradient-Based Learning Applied to Document
Recognition, Proceedings of the IEEE, 1998.
"""

from bdlzoo.core import registry
from bdlzoo.networks.blocks import Stage, convolutional


@registry.register
def LeNet(input_shape, outputs=10, activation="relu", dropout=0.0,
          dropout_at="last", conv=None, layer=None, output_layer=None):
    """Builds LeNet 20-50-500.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`, 16 x 16 at least.
        outputs: Integer, number of raw outputs.
        activation: Name or callable, after the hidden dense layer.
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
    network = LeNet((28, 28, 1), dropout=0.5)
    ```
    """
    stages = (Stage(20, bent=False), Stage(50, bent=False))
    return convolutional("lenet", input_shape, 16, stages, (500,),
                         outputs, activation, dropout, dropout_at, conv, layer,
                         output_layer)
