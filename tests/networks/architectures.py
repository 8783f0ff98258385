"""The convolutional networks, and how to look at one."""

from bdlzoo.networks import (
    LeNet,
    LeNet5,
    LeNet5Classic,
    SmallCNN,
    TradesCNN,
    WongKolterCNN,
)

# Architecture -> weights on 28 x 28 x 1, biases, smallest side of an image.
ALL = {
    LeNet: (431_080, 20 + 50 + 500 + 10, 16),
    LeNet5: (545_546, 6 + 16 + 120 + 84 + 10, 4),
    LeNet5Classic: (61_706, 6 + 16 + 120 + 84 + 10, 12),
    SmallCNN: (1_199_882, 32 + 64 + 128 + 10, 6),
    TradesCNN: (312_202, 2 * (32 + 64) + 200 + 200 + 10, 16),
    WongKolterCNN: (166_406, 16 + 32 + 100 + 10, 1),
}


def kinds(network):
    """Names of the layers behind the input."""
    return [type(layer).__name__ for layer in network.layers[1:]]
