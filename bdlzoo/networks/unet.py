"""U-Net: an encoder and a decoder with a class for each pixel.

    encoder   per level: conv 3x3 (twice), [dropout], max pool 2
    middle    conv 3x3 (twice), [dropout]
    decoder   per level: upsample 2, concatenate the level, conv 3x3 (twice), [dropout]
    outputs   conv 1x1, of each pixel

Every convolution has BatchNorm and ReLU. Dropout is in the central blocks, as in
Bayesian SegNet: in the outer ones it costs accuracy, and a draw would need the whole
network again. Images of any sides: a side that 2 does not divide is halved upwards,
and cut where it comes back.

A network of `keras.applications` can take the place of the encoder: the last tensor of
each size is a level. Its images are to be in [0, 1].

Reference: Ronneberger et al., U-Net: Convolutional Networks for Biomedical Image
Segmentation, MICCAI 2015; Kendall et al., Bayesian SegNet, BMVC 2017 (the places of
dropout).
"""

import keras

from bdlzoo.core import registry
from bdlzoo.networks import blocks

# Range of the pixels that networks were trained on; others scale in a layer.
_SYMMETRIC = ("MobileNet", "Inception", "Xception", "ResNet50V2", "ResNet101V2",
              "ResNet152V2", "NASNet")
_BYTES = ("EfficientNet", "ConvNeXt")


@registry.register
def UNet(input_shape, outputs, filters=(16, 32, 64, 128), dropout=0.0,
         dropout_at="central", backbone=None, backbone_weights=None, conv=None,
         output_layer=None):
    """Builds the network.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`.
        outputs: Integer, number of raw outputs of a pixel.
        filters: Tuple of integers, filters of each level, the largest image first; the
            last one is the middle. With a backbone, filters of the decoder, from the
            largest image too.
        dropout: Rate in [0, 1), or spec of a dropout layer; 0 for none.
        dropout_at: `"central"`, in the inner half of the levels; `"all"`, in every
            block.
        backbone: String, name of a network of `keras.applications` as the encoder,
            such as `"MobileNetV2"`; `None` for the one above.
        backbone_weights: `"imagenet"`, which is downloaded, the path of a file, or
            `None` for random weights.
        conv: Spec of the convolutions: `None` for those of Keras, a name such as
            `"Conv2DFlipout"`, a dictionary with `type` and arguments, or a callable.
        output_layer: Spec of the last convolution.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = UNet((96, 128, 3), outputs=11, dropout=0.5)
    ```
    """
    filters = blocks.check_sizes("filters", filters, 2)
    blocks.check_choice(dropout_at, "central", "all")
    input_shape = blocks.check_image(input_shape, 2 ** (len(filters) - 1))
    inputs = keras.Input(input_shape)
    dropped = [inner or dropout_at == "all" for inner in blocks.central(len(filters))]
    if backbone is None:
        levels = _encoder(inputs, filters, dropout, dropped, conv)
    else:
        levels = _backbone(inputs, backbone, backbone_weights)
        filters = (filters * len(levels))[:len(levels)] if len(levels) < len(filters) \
            else (*filters, *filters[-1:] * (len(levels) - len(filters)))
        inner = blocks.central(len(levels))
        dropped = [here or dropout_at == "all" for here in inner]
        levels[-1] = blocks.drop(levels[-1], dropout)
    x = levels.pop()
    for level, count, drop in reversed(list(zip(levels, filters, dropped))):
        x = blocks.sized_like(keras.layers.UpSampling2D(2)(x), level)
        x = blocks.convolved(keras.layers.Concatenate()([level, x]), count, spec=conv)
        x = blocks.drop(x, dropout) if drop else x
    return keras.Model(inputs, blocks.pixel_outputs(x, outputs, output_layer),
                       name="unet")


def _encoder(x, filters, dropout, dropped, conv):
    """Tensors of the levels, from the largest to the middle."""
    levels = []
    for place, (count, drop) in enumerate(zip(filters, dropped)):
        if place:
            x = keras.layers.MaxPooling2D(2, padding="same")(x)
        x = blocks.convolved(x, count, spec=conv)
        x = blocks.drop(x, dropout) if drop else x
        levels.append(x)
    return levels


def _backbone(inputs, name, weights):
    """Tensors of the levels of a network of `keras.applications`."""
    kind = getattr(keras.applications, str(name), None)
    if not callable(kind):
        raise ValueError("Expected the name of a network of `keras.applications`, such "
                         f"as 'MobileNetV2'. Received: backbone={name!r}")
    x = inputs
    if any(part in name for part in _SYMMETRIC):
        x = keras.layers.Rescaling(2.0, -1.0)(x)
    elif any(part in name for part in _BYTES):
        x = keras.layers.Rescaling(255.0)(x)
    network = kind(include_top=False, weights=weights, input_tensor=x)
    levels = {x.shape[1:3]: x}
    for layer in network.layers:
        shape = getattr(layer.output, "shape", ())
        if len(shape) == 4 and not isinstance(layer, keras.layers.ZeroPadding2D):
            levels[shape[1:3]] = layer.output
    last = network.output.shape[1:3]
    kept = [size for size in levels if size[0] >= last[0] and size[1] >= last[1]]
    levels[last] = network.output
    return [levels[size] for size in sorted(kept, reverse=True)]
