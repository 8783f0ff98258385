"""Generator of adversarial perturbations, a residual network from image to image.

    conv 3x3 w, blocks w -> 2 w -> 2 w -> w, conv 3x3 out        w = width
    block = relu(norm(conv(relu(norm(conv(x))))) + x),  1x1 conv and norm of x where
            filters differ

With `latent` there is a second input, noise z. It becomes one more channel of the image
by two dense layers with relu, of 256 units and of all pixels. With `stride` the first
convolution makes the image smaller and a transposed one restores its size, which is
faster. Convolutions before a norm have no bias, nor has the last one.

Reference: Dong et al., Adversarial Distributional Training for Robust Deep
Learning, NeurIPS 2020, and its released code (width 256, stride 1).
"""

import keras

from bdlzoo.core import registry
from bdlzoo.networks import blocks

_CODE = 256  # Units between noise and image.


@registry.register
def PerturbationGenerator(input_shape, outputs, latent=0, width=32, stride=1):
    """Builds a generator of perturbations.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)` of the input.
        outputs: Integer, channels of the output.
        latent: Integer, length of the noise; 0 for none.
        width: Integer, filters of the first convolution.
        stride: Integer, factor by which the image is smaller inside; it must divide
            both sides.

    Returns:
        A functional `keras.Model` with one input, or with two if there is noise.

    Example:

    ```python
    generator = PerturbationGenerator((32, 32, 3), outputs=3, latent=64)
    ```
    """
    input_shape = blocks.check_image(input_shape)
    outputs, width, stride = blocks.check_sizes(
        "outputs, width and stride", (outputs, width, stride))
    if any(side % stride for side in input_shape[:2]):
        raise ValueError(
            "Expected a stride that divides both sides of the image. Received: "
            f"stride={stride}, input_shape={input_shape}")
    x = image = keras.Input(input_shape)
    inputs = image
    if latent:
        code = keras.Input((latent,))
        inputs = [image, code]
        seen = _dense(_CODE)(code)
        seen = _dense(input_shape[0] * input_shape[1])(seen)
        x = keras.layers.Concatenate()([
            image, keras.layers.Reshape((*input_shape[:2], 1))(seen)])
    x = _normed(x, width, 3 if stride == 1 else 2 * stride, stride)
    x = keras.layers.ReLU()(x)
    for filters in (2 * width, 2 * width, width):
        x = _block(x, filters)
    kind, sizes = (keras.layers.Conv2D, dict(kernel_size=3)) if stride == 1 else (
        keras.layers.Conv2DTranspose, dict(kernel_size=2 * stride, strides=stride))
    x = kind(outputs, padding="same", use_bias=False, kernel_initializer=_start(),
             **sizes)(x)
    return keras.Model(inputs, x, name="perturbation_generator")


def _block(x, filters):
    around = x if x.shape[-1] == filters else _normed(x, filters, 1)
    x = keras.layers.ReLU()(_normed(x, filters, 3))
    x = keras.layers.Add()([_normed(x, filters, 3), around])
    return keras.layers.ReLU()(x)


def _normed(x, filters, size, stride=1):
    x = keras.layers.Conv2D(filters, size, stride, padding="same", use_bias=False,
                            kernel_initializer=_start())(x)
    return keras.layers.BatchNormalization(momentum=0.9)(x)


def _dense(units):
    return keras.layers.Dense(units, "relu", kernel_initializer=_start())


def _start():
    return keras.initializers.RandomNormal(stddev=0.02)
