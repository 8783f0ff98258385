"""Small convolutional network of the failure-prediction experiments.

    conv 32 3x3, conv 64 3x3, pool 2, dropout, dense 128, dropout, dense out

The paper has dropout rates of 0.25 after the pooling and of 0.5 before the output
layer.

Reference: Corbiere et al., Addressing Failure Prediction by Learning Model
Confidence, NeurIPS 2019.
"""

from bdlzoo.core import registry
from bdlzoo.networks.blocks import Stage, check_sizes, convolutional


@registry.register
def SmallCNN(input_shape, filters=(32, 64), hidden=(128,), dropout_at="all", outputs=10,
             activation="relu", dropout=0.0, conv=None, layer=None, output_layer=None):
    """Builds the small convolutional network.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`; 6 x 6 at
            least with two convolutions.
        filters: Tuple of integers, filters of each convolution.
        hidden: Tuple of integers, sizes of the hidden dense layers.
        dropout_at: `"last"`, only before the output layer; `"all"`, after the pooling
            and every hidden dense layer.
        outputs: Integer, number of raw outputs.
        activation: Name or callable, after the hidden layers.
        dropout: Rate in [0, 1), or spec of a dropout layer; 0 for none; or a pair of
            them, one for the pooling and one for the dense layers.
        conv: Spec of the convolutions: `None` for those of Keras, a name such as
            `"Conv2DFlipout"`, a dictionary with `type` and arguments, or a callable.
        layer: Spec of the dense layers, of the same kind.
        output_layer: Spec of the output layer; `None` is the same as `layer`.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = SmallCNN((28, 28, 1), dropout=(0.25, 0.5))
    ```
    """
    filters = check_sizes("filters", filters)
    stages = [Stage(count, 3, pooled=False) for count in filters]
    stages[-1] = stages[-1]._replace(pooled=True)
    return convolutional(
        "small_cnn", input_shape, 2 * len(filters) + 2, stages,
        check_sizes("hidden", hidden), outputs, activation, dropout, dropout_at, conv,
        layer, output_layer)
