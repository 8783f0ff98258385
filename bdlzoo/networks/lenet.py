"""LeNet in the sizes of the Caffe example.

    conv 20 5x5, pool 2, conv 50 5x5, pool 2, dense 500, dense out

431,080 weights on 28x28x1 with ten outputs. The convolutions are not padded
and, as in that example, have no activation: the pooling bends their output.

Reference: LeCun et al., Gradient-Based Learning Applied to Document
Recognition, Proceedings of the IEEE, 1998.
"""

from bdlzoo.core import registry
from bdlzoo.networks.blocks import Stage, convolutional


@registry.register
def LeNet(input_shape, **options):
    """Builds LeNet 20-50-500.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`, 16 x 16 at least.
        **options: See `bdlzoo.networks.blocks.convolutional`.
    """
    stages = (Stage(20, bent=False), Stage(50, bent=False))
    return convolutional("lenet", input_shape, 16, stages, (500,), **options)
