"""Discriminator of pairs of an image and a label.

    dense          x = x + noise;  for each of `hidden`: noise, [x, y], dense, relu
    convolutions   for each of `filters`: conv 3x3 [x, y], conv 3x3 stride 2 [x, y],
                   dropout; then the mean over places, and the dense layers

Labels stand beside the features at the input of every layer, and all layers have weight
normalisation. The networks of the papers are `hidden=(1000, 500, 250, 250, 250)` for
MNIST, and `filters=(32, 64, 128)` without dense layers for images of 32 x 32.

References: Deng et al., Structured Generative Adversarial Networks, NeurIPS 2017;
Li et al., Triple Generative Adversarial Nets, NeurIPS 2017, and its released code.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.layers import LabelConcatenation, WeightNormalization
from bdlzoo.networks import blocks


@registry.register
def GanDiscriminator(input_shape, num_classes, hidden=(500, 250, 250), filters=(),
                     input_noise=0.3, noise=0.5, dropout=0.2):
    """Builds a discriminator of pairs of an input and a label.

    Args:
        input_shape: Tuple of integers, shape of an input; that of an image with
            filters.
        num_classes: Integer, K, length of a one-hot label.
        hidden: Tuple of integers, sizes of the dense layers.
        filters: Tuple of integers, filters of each pair of convolutions.
        input_noise: Float, standard deviation of the noise on the input in training.
        noise: Float, the same before each dense layer but the first.
        dropout: Rate in [0, 1), after each pair of convolutions.

    Returns:
        A functional `keras.Model` from `[x, y]` to a logit: above 0 for a pair that
        looks like one of the data.

    Example:

    ```python
    network = GanDiscriminator((28, 28, 1), 10, hidden=(1000, 500, 250, 250, 250))
    ```
    """
    input_shape = blocks.check_sizes("input_shape", input_shape)
    [num_classes] = blocks.check_sizes("num_classes", (num_classes,))
    hidden = blocks.check_sizes("hidden", hidden, least=0)
    filters = blocks.check_sizes("filters", filters, least=0)
    inputs, labels = keras.Input(input_shape), keras.Input((num_classes,))

    def told(x):
        return LabelConcatenation()([x, labels])

    x = inputs
    if input_noise:
        x = keras.layers.GaussianNoise(input_noise)(x)
    if filters:
        blocks.check_image(input_shape)
    for count in filters:
        for strides in (1, 2):
            x = WeightNormalization(keras.layers.Conv2D(
                count, 3, strides, padding="same", use_bias=False), "leaky_relu")(
                    told(x))
        x = blocks.drop(x, dropout)
    x = keras.layers.GlobalAveragePooling2D()(x) if filters else (
        keras.layers.Flatten()(x))
    for place, units in enumerate(hidden):
        if place and noise:
            x = keras.layers.GaussianNoise(noise)(x)
        x = WeightNormalization(
            keras.layers.Dense(units, use_bias=False), "leaky_relu")(told(x))
    x = WeightNormalization(keras.layers.Dense(1, use_bias=False))(told(x))
    return keras.Model([inputs, labels], x, name="gan_discriminator")
