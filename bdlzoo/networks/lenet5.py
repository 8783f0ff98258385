"""LeNet-5 in the form of the uncertainty baselines.

    conv 6 5x5, pool 2, conv 16 5x5, pool 2, conv 120 5x5, dense 84, dense out

545,546 weights on 28x28x1 with ten outputs. The convolutions are padded, so that the
dense layer has 7 x 7 x 120 inputs.

Reference: Nado et al., Uncertainty Baselines: Benchmarks for Uncertainty and
Robustness in Deep Learning, 2021.
"""

from bdlzoo.core import registry
from bdlzoo.networks.blocks import Stage, convolutional


@registry.register
def LeNet5(input_shape, outputs=10, activation="relu", dropout=0.0,
           dropout_at="last", conv=None, layer=None, output_layer=None):
    """Builds LeNet-5 with padded convolutions.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`, 4 x 4 at least.
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
    network = LeNet5((28, 28, 1), dropout=0.5)
    ```
    """
    stages = (Stage(6, padding="same"), Stage(16, padding="same"),
              Stage(120, padding="same", pooled=False))
    return convolutional("lenet5", input_shape, 4, stages, (84,),
                         outputs, activation, dropout, dropout_at, conv, layer,
                         output_layer)
