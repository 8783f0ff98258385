"""Discriminator of pairs of an image and its style.

    x -> conv 5x5 stride 2 for each of `filters`  \
                                                   [ , ] -> dense for each of `hidden`
    z -> dense for each of `code_hidden`          /

Without filters the input is flat. The layers have weight normalisation.

Reference: Deng et al., Structured Generative Adversarial Networks, NeurIPS 2017. The
paper does not say the sizes for MNIST.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.layers import WeightNormalization
from bdlzoo.networks import blocks


@registry.register
def GanCodeDiscriminator(input_shape, latent, filters=(), hidden=(256,),
                         code_hidden=(128, 128), input_noise=0.3):
    """Builds a discriminator of pairs of an input and a style.

    Args:
        input_shape: Tuple of integers, shape of an input; that of an image with
            filters.
        latent: Integer, numbers of the style z.
        filters: Tuple of integers, filters of each convolution.
        hidden: Tuple of integers, sizes of the dense layers behind both.
        code_hidden: Tuple of integers, sizes of the dense layers of the style.
        input_noise: Float, standard deviation of the noise on the input in training.

    Returns:
        A functional `keras.Model` from `[x, z]` to a logit: above 0 for a pair that
        looks like one of the data.

    Example:

    ```python
    network = GanCodeDiscriminator((28, 28, 1), 100, filters=(32, 64))
    ```
    """
    input_shape = blocks.check_sizes("input_shape", input_shape)
    [latent] = blocks.check_sizes("latent", (latent,))
    filters = blocks.check_sizes("filters", filters, least=0)
    hidden = blocks.check_sizes("hidden", hidden)
    code_hidden = blocks.check_sizes("code_hidden", code_hidden, least=0)
    inputs, code = keras.Input(input_shape), keras.Input((latent,))
    x, z = inputs, code
    if input_noise:
        x = keras.layers.GaussianNoise(input_noise)(x)
    if filters:
        blocks.check_image(input_shape)
    for count in filters:
        x = WeightNormalization(keras.layers.Conv2D(
            count, 5, 2, padding="same", use_bias=False), "leaky_relu")(x)
    for units in code_hidden:
        z = _dense(units)(z)
    x = keras.layers.Concatenate()([keras.layers.Flatten()(x), z])
    for units in hidden:
        x = _dense(units)(x)
    x = WeightNormalization(keras.layers.Dense(1, use_bias=False))(x)
    return keras.Model([inputs, code], x, name="gan_code_discriminator")


def _dense(units):
    return WeightNormalization(keras.layers.Dense(units, use_bias=False), "leaky_relu")
