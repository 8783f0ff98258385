"""LeNet-5 in the form of the uncertainty baselines.

    conv 6 5x5, pool 2, conv 16 5x5, pool 2, conv 120 5x5, dense 84, dense out

545,546 weights on 28x28x1 with ten outputs: the convolutions are padded, so
the last one hands 7 x 7 x 120 numbers to the dense layer.

Reference: Nado et al., Uncertainty Baselines: Benchmarks for Uncertainty and
Robustness in Deep Learning, 2021.
"""

from bdlzoo.core import registry
from bdlzoo.networks.blocks import Stage, convolutional


@registry.register
def LeNet5(input_shape, **options):
    """Builds LeNet-5 with padded convolutions.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`, 4 x 4 at least.
        **options: See `bdlzoo.networks.blocks.convolutional`.
    """
    stages = (Stage(6, padding="same"), Stage(16, padding="same"),
              Stage(120, padding="same", pooled=False))
    return convolutional("lenet5", input_shape, 4, stages, (84,), **options)
