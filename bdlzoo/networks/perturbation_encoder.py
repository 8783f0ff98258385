"""Encoder of adversarial perturbations, which recovers the noise of a generator.

    conv 32 5x5, conv 64 4x4 stride 2, conv 128 4x4, conv 256 4x4 stride 2,
    each unpadded, with norm and leaky relu; mean, dense out

For small images, give fewer filters: the last convolutions are then left out.

Reference: Dong et al., Adversarial Distributional Training for Robust Deep
Learning, NeurIPS 2020, and its released code.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.networks import blocks

_KERNELS = ((5, 1), (4, 2), (4, 1), (4, 2))  # Sizes and strides.
_LEAST = (5, 8, 14, 20)  # Smallest sides, by the number of convolutions.


@registry.register
def PerturbationEncoder(input_shape, outputs, filters=(32, 64, 128, 256)):
    """Builds an encoder of perturbations.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`.
        outputs: Integer, number of raw outputs.
        filters: Tuple of one to four integers, filters of the convolutions.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    encoder = PerturbationEncoder((32, 32, 3), outputs=128)
    ```
    """
    filters = blocks.check_sizes("filters", filters)
    if len(filters) > len(_KERNELS):
        raise ValueError(f"Expected at most {len(_KERNELS)} convolutions. Received: "
                         f"filters={filters}")
    input_shape = blocks.check_image(input_shape, _LEAST[len(filters) - 1])
    [outputs] = blocks.check_sizes("outputs", (outputs,))
    x = inputs = keras.Input(input_shape)
    for count, (size, stride) in zip(filters, _KERNELS):
        x = keras.layers.Conv2D(count, size, stride, use_bias=False)(x)
        x = keras.layers.BatchNormalization(momentum=0.9)(x)
        x = keras.layers.LeakyReLU(negative_slope=0.01)(x)
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, keras.layers.Dense(outputs)(x),
                       name="perturbation_encoder")
