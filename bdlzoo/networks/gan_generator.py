"""Generator of images of a class: dense layers, then transposed convolutions.

    h   = [z, y];  for each of `hidden`:   h = [norm(softplus(dense(h))), y]
    without filters   pixels = sigmoid(dense(h))
    with filters      h = dense(h) as a small image, then for each further filter and
                      for the image: [norm(relu(conv_transpose 5x5 stride 2)), y]

Labels stand beside the features at the input of every layer. The last layer has weight
normalisation, the others BatchNorm or none. The networks of the papers are
`hidden=(500, 500)` for MNIST and `filters=(512, 256, 128)` for images of 32 x 32.

References: Deng et al., Structured Generative Adversarial Networks, NeurIPS 2017;
Li et al., Triple Generative Adversarial Nets, NeurIPS 2017, and its released code.
"""

import math

import keras

from bdlzoo.core import registry
from bdlzoo.layers import LabelConcatenation, WeightNormalization
from bdlzoo.networks import blocks


@registry.register
def GanGenerator(latent, num_classes, output_shape, hidden=(500, 500), filters=(),
                 normalize=True):
    """Builds a generator of images of a class.

    Args:
        latent: Integer, numbers of the style z.
        num_classes: Integer, K, length of a one-hot label.
        output_shape: Tuple of integers, `(height, width, channels)` of an image, or any
            shape without filters.
        hidden: Tuple of integers, sizes of the dense layers.
        filters: Tuple of integers: channels of the small image that the last dense
            layer gives, and of each larger one. The side doubles with each, and once
            more for the image.
        normalize: Bool, whether layers but the last have a BatchNorm.

    Returns:
        A functional `keras.Model` from `[z, y]` to numbers from 0 to 1.

    Example:

    ```python
    generator = GanGenerator(100, 10, (32, 32, 3), hidden=(), filters=(512, 256, 128))
    ```
    """
    latent, num_classes = blocks.check_sizes("latent and num_classes",
                                             (latent, num_classes))
    output_shape = blocks.check_sizes("output_shape", output_shape)
    hidden = blocks.check_sizes("hidden", hidden, least=0)
    filters = blocks.check_sizes("filters", filters, least=0)
    style, labels = keras.Input((latent,)), keras.Input((num_classes,))

    def told(x):
        return LabelConcatenation()([x, labels])

    def normed(x):
        return keras.layers.BatchNormalization(momentum=0.9)(x) if normalize else x

    x = style
    for units in hidden:
        x = normed(keras.layers.Dense(units, "softplus")(told(x)))
    if filters:
        x = _image(x, told, normed, blocks.check_image(output_shape), filters)
    else:
        x = WeightNormalization(keras.layers.Dense(
            math.prod(output_shape), use_bias=False), "sigmoid")(told(x))
        x = keras.layers.Reshape(output_shape)(x)
    return keras.Model([style, labels], x, name="gan_generator")


def _image(x, told, normed, shape, filters):
    factor = 2**len(filters)
    if any(side % factor for side in shape[:2]):
        raise ValueError(
            f"Expected an image whose sides {factor} divides, for {len(filters)} "
            f"filters. Received: output_shape={shape}")
    small = (shape[0] // factor, shape[1] // factor, filters[0])
    x = keras.layers.Dense(math.prod(small), "relu")(told(x))
    x = normed(keras.layers.Reshape(small)(x))
    sizes = dict(kernel_size=5, strides=2, padding="same")
    for count in filters[1:]:
        x = normed(keras.layers.Conv2DTranspose(
            count, activation="relu", **sizes)(told(x)))
    return WeightNormalization(keras.layers.Conv2DTranspose(
        shape[2], use_bias=False, **sizes), "sigmoid")(told(x))
