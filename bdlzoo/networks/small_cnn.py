"""Small convolutional network of the failure-prediction experiments.

    conv 32 3x3, conv 64 3x3, pool 2, dropout, dense 128, dropout, dense out

The paper drops 0.25 behind the pooling and 0.5 before the output layer.

Reference: Corbiere et al., Addressing Failure Prediction by Learning Model
Confidence, NeurIPS 2019.
"""

from bdlzoo.core import registry
from bdlzoo.networks.blocks import Stage, check_sizes, convolutional


@registry.register
def SmallCNN(input_shape, filters=(32, 64), hidden=(128,), dropout_at="all", **options):
    """Builds the small convolutional network.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`; 6 x 6 at
            least with two convolutions.
        filters: Tuple of integers, filters of each convolution.
        hidden: Tuple of integers, sizes of the hidden dense layers.
        dropout_at: As below, `"all"` where nothing is said.
        **options: See `bdlzoo.networks.blocks.convolutional`.
    """
    filters = check_sizes("filters", filters)
    stages = [Stage(count, 3, pooled=False) for count in filters]
    stages[-1] = stages[-1]._replace(pooled=True)
    return convolutional(
        "small_cnn", input_shape, 2 * len(filters) + 2, stages,
        check_sizes("hidden", hidden), dropout_at=dropout_at, **options)
