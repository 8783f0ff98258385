"""Convolutional network of the TRADES experiments on MNIST.

    conv 32 3x3, conv 32 3x3, pool 2, conv 64 3x3, conv 64 3x3, pool 2,
    dense 200, dense 200, dense out

312,202 weights on 28x28x1 with ten outputs; the convolutions are not padded.

Reference: Carlini and Wagner, Towards Evaluating the Robustness of Neural Networks,
S&P 2017 (the network); Zhang et al., Theoretically Principled Trade-off between
Robustness and Accuracy, ICML 2019.
"""

from bdlzoo.core import registry
from bdlzoo.networks.blocks import Stage, convolutional


@registry.register
def TradesCNN(input_shape, outputs=10, activation="relu", dropout=0.0,
              dropout_at="last", conv=None, layer=None, output_layer=None):
    """Builds the network of TRADES.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`, 16 x 16 at least.
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
    network = TradesCNN((28, 28, 1), dropout=0.5)
    ```
    """
    stages = [Stage(filters, 3, pooled=pooled)
              for filters in (32, 64) for pooled in (False, True)]
    return convolutional("trades_cnn", input_shape, 16, stages, (200, 200),
                         outputs, activation, dropout, dropout_at, conv, layer,
                         output_layer)
