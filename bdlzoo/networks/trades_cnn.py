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
def TradesCNN(input_shape, **options):
    """Builds the network of TRADES.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`, 16 x 16 at least.
        **options: See `bdlzoo.networks.blocks.convolutional`.
    """
    stages = [Stage(filters, 3, pooled=pooled)
              for filters in (32, 64) for pooled in (False, True)]
    return convolutional("trades_cnn", input_shape, 16, stages, (200, 200), **options)
