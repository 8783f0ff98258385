"""Network from an image to its style: convolutions, then one dense layer.

    conv 4x4 stride 2, BatchNorm, leaky relu     for each of `filters`
    dense, leaky relu                            for each of `hidden`
    dense                                        the style, without an activation

Reference: Deng et al., Structured Generative Adversarial Networks, NeurIPS 2017. The
paper does not say the sizes for MNIST.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.networks import blocks


@registry.register
def GanInference(input_shape, outputs, filters=(32, 64), hidden=(), normalize=True):
    """Builds a network that infers the style of an image.

    Args:
        input_shape: Tuple of integers, shape of an input; that of an image with
            filters.
        outputs: Integer, numbers of the style.
        filters: Tuple of integers, filters of each convolution.
        hidden: Tuple of integers, sizes of dense layers behind them.
        normalize: Bool, whether convolutions have a BatchNorm.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = GanInference((28, 28, 1), outputs=100)
    ```
    """
    input_shape = blocks.check_sizes("input_shape", input_shape)
    [outputs] = blocks.check_sizes("outputs", (outputs,))
    filters = blocks.check_sizes("filters", filters, least=0)
    hidden = blocks.check_sizes("hidden", hidden, least=0)
    x = inputs = keras.Input(input_shape)
    if filters:
        blocks.check_image(input_shape)
    for count in filters:
        x = keras.layers.Conv2D(count, 4, 2, padding="same", use_bias=not normalize)(x)
        if normalize:
            x = keras.layers.BatchNormalization(momentum=0.9)(x)
        x = keras.layers.LeakyReLU(negative_slope=0.2)(x)
    x = keras.layers.Flatten()(x)
    for units in hidden:
        x = keras.layers.LeakyReLU(negative_slope=0.2)(keras.layers.Dense(units)(x))
    return keras.Model(inputs, keras.layers.Dense(outputs)(x), name="gan_inference")
