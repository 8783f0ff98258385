"""LeNet-5 as it is mostly drawn today.

    conv 6 5x5 padded, pool 2, conv 16 5x5, pool 2, dense 120, dense 84, dense out

61,706 weights on 28x28x1 with ten outputs; max-pooling has no weights, unlike
the subsampling of the original.

Reference: LeCun et al., Gradient-Based Learning Applied to Document
Recognition, Proceedings of the IEEE, 1998.
"""

from bdlzoo.core import registry
from bdlzoo.networks.blocks import Stage, convolutional


@registry.register
def LeNet5Classic(input_shape, **options):
    """Builds the small LeNet-5.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`, 12 x 12 at least.
        **options: See `bdlzoo.networks.blocks.convolutional`.
    """
    stages = (Stage(6, padding="same"), Stage(16))
    return convolutional("lenet5_classic", input_shape, 12, stages, (120, 84),
                         **options)
