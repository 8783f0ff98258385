"""Bayesian SegNet: an encoder, and a decoder that unpools where the maxima were.

    encoder   per level: conv 3x3 (twice), [dropout], max pool 2
    decoder   per level: unpool, conv 3x3 (twice), [dropout]
    outputs   conv 1x1, of each pixel

Every convolution has BatchNorm and ReLU. No tensor but the places of the maxima goes
from the encoder to the decoder. Dropout is in the central half of the levels, which
the paper found best. The paper has five levels, of 64 to 512 filters.

Reference: Kendall et al., Bayesian SegNet: Model Uncertainty in Deep Convolutional
Encoder-Decoder Architectures for Scene Understanding, BMVC 2017.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.layers import MaxUnpooling
from bdlzoo.networks import blocks


@registry.register
def BayesianSegNet(input_shape, outputs, filters=(16, 32, 64, 64), dropout=0.5,
                   dropout_at="central", conv=None, output_layer=None):
    """Builds the network.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`.
        outputs: Integer, number of raw outputs of a pixel.
        filters: Tuple of integers, filters of each level, the largest image first.
        dropout: Rate in [0, 1), or spec of a dropout layer; 0 for none.
        dropout_at: `"central"`, in the inner half of the levels; `"all"`, in all.
        conv: Spec of the convolutions: `None` for those of Keras, a name such as
            `"Conv2DFlipout"`, a dictionary with `type` and arguments, or a callable.
        output_layer: Spec of the last convolution.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = BayesianSegNet((96, 128, 3), outputs=11)
    ```
    """
    filters = blocks.check_sizes("filters", filters)
    blocks.check_choice(dropout_at, "central", "all")
    input_shape = blocks.check_image(input_shape, 2 ** len(filters))
    dropped = [inner or dropout_at == "all" for inner in blocks.central(len(filters))]
    x = inputs = keras.Input(input_shape)
    levels = []
    for count, drop in zip(filters, dropped):
        x = blocks.convolved(x, count, spec=conv)
        levels.append(x)
        x = keras.layers.MaxPooling2D(2, padding="same")(x)
        x = blocks.drop(x, dropout) if drop else x
    for place in reversed(range(len(filters))):
        x = MaxUnpooling()([x, levels[place]])
        # The last convolution of a level has the filters of the next one.
        x = blocks.convolved(x, filters[place], 1, conv)
        x = blocks.convolved(x, filters[max(place - 1, 0)], 1, conv)
        x = blocks.drop(x, dropout) if dropped[place] else x
    return keras.Model(inputs, blocks.pixel_outputs(x, outputs, output_layer),
                       name="bayesian_segnet")
