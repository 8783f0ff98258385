"""LeNet with BatchNorm after its convolutions, as CAT trains it.

    conv 20 5x5, BN, ReLU, pool 2, conv 50 5x5, BN, ReLU, pool 2, dense 500, dense out

431,220 trainable weights on 28x28x1 with ten outputs. The convolutions are not padded.

Reference: Deng, Luo and Zhu, Cluster Alignment with a Teacher for Unsupervised Domain
Adaptation, ICCV 2019 (released code).
"""

import keras

from bdlzoo.core import registry
from bdlzoo.networks.blocks import check_image, drop


@registry.register
def BatchNormLeNet(input_shape, outputs=10, filters=(20, 50), hidden=500,
                   momentum=0.9, dropout=0.0):
    """Builds LeNet 20-50-500 with BatchNorm.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`, 16 x 16 at least.
        outputs: Integer, number of raw outputs.
        filters: Pair of integers, filters of the convolutions.
        hidden: Integer, units of the hidden dense layer.
        momentum: Float, momentum of the averages of BatchNorm. That of Keras, 0.99,
            lags behind for the first hundreds of steps.
        dropout: Rate in [0, 1), or spec of a dropout layer, before the output layer;
            0 for none.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = BatchNormLeNet((28, 28, 1))
    ```
    """
    x = inputs = keras.Input(check_image(input_shape, 16))
    for count in filters:
        x = keras.layers.Conv2D(count, 5)(x)
        x = keras.layers.BatchNormalization(momentum=momentum)(x)
        x = keras.layers.ReLU()(x)
        x = keras.layers.MaxPooling2D(2)(x)
    x = keras.layers.Dense(hidden, activation="relu")(keras.layers.Flatten()(x))
    if dropout:
        x = drop(x, dropout)
    return keras.Model(inputs, keras.layers.Dense(outputs)(x), name="batch_norm_lenet")
