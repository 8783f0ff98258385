"""Scattering features of images, scaled, and a multilayer perceptron on them.

    h_0 = normalise(flatten(scattering(x)))        only means and scales are learnt
    h_l = activation(layer_l(h_{l-1}))
    y   = output_layer(h_L)

The features are stable to small deformations, so that few labels are enough; what is
learnt, and may have a posterior, is the head.

Reference: Bruna and Mallat, Invariant Scattering Convolution Networks, TPAMI 2013.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.layers import Scattering
from bdlzoo.networks import blocks


@registry.register
def ScatteringMLP(input_shape, scale=2, num_angles=8, order=2, hidden=(), outputs=10,
                  activation="relu", dropout=0.0, layer=None, output_layer=None):
    """Builds scattering features and a head.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`, sides above
            `2**scale`.
        scale: Integer, features are averages over about `2**scale` pixels.
        num_angles: Integer, angles of the wavelets.
        order: Integer, 1 or 2, largest number of moduli in a row.
        hidden: Tuple of integers, sizes of the hidden layers; an empty one gives a
            linear head.
        outputs: Integer, number of raw outputs.
        activation: Name or callable, after every hidden layer.
        dropout: Rate in [0, 1), or spec of a dropout layer, on the features and after
            every hidden activation; 0 for none.
        layer: Spec of the dense layers: `None` for those of Keras, a name such as
            `"DenseFlipout"`, a dictionary with `type` and arguments, or a callable.
        output_layer: Spec of the output layer; `None` is the same as `layer`.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = ScatteringMLP((28, 28, 1), dropout=0.5)
    ```
    """
    input_shape = blocks.check_image(input_shape, 2**scale + 1)
    hidden = blocks.check_sizes("hidden", hidden, least=0)
    [outputs] = blocks.check_sizes("outputs", (outputs,))
    x = inputs = keras.Input(input_shape)
    x = Scattering(scale, num_angles, order)(x)
    x = keras.layers.Flatten()(x)
    x = keras.layers.BatchNormalization(center=False, scale=False)(x)
    x = blocks.drop(x, dropout)
    x = blocks.head(x, hidden, outputs, activation, dropout, dropout, layer,
                    output_layer)
    return keras.Model(inputs, x, name="scattering_mlp")
