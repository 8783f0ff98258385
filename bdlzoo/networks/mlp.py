"""Multilayer perceptron.

    h_0 = flatten(x)
    h_l = activation(layer_l(h_{l-1}))     one for each size in `hidden`
    y   = output_layer(h_L)                raw: logits, or means
"""

import keras

from bdlzoo.core import registry
from bdlzoo.networks import blocks


@registry.register
def MLP(input_shape, hidden=(400, 400), outputs=10, activation="relu",
        dropout=0.0, dropout_at="hidden", layer=None, output_layer=None):
    """Builds a multilayer perceptron.

    Args:
        input_shape: Tuple of integers, shape of one input; inputs of higher
            rank are flattened.
        hidden: Tuple of integers, sizes of the hidden layers; an empty one gives a
            linear model.
        outputs: Integer, number of raw outputs.
        activation: Name or callable, after every hidden layer.
        dropout: Rate in [0, 1), or spec of a dropout layer; 0 for none.
        dropout_at: `"hidden"`, after every hidden activation; `"all"`, on the input as
            well; `"last"`, only before the output layer.
        layer: Spec of the dense layers: `None` for those of Keras, a name such as
            `"DenseFlipout"`, a dictionary with `type` and arguments, or a callable.
        output_layer: Spec of the output layer; `None` is the same as `layer`.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = MLP((784,), hidden=(400, 400), dropout=0.5,
                  layer={"type": "DenseFlipout", "prior_scale": 1.0})
    ```
    """
    input_shape = blocks.check_sizes("input_shape", input_shape)
    hidden = blocks.check_sizes("hidden", hidden, least=0)
    [outputs] = blocks.check_sizes("outputs", (outputs,))
    blocks.check_choice(dropout_at, "hidden", "all", "last")

    x = inputs = keras.Input(input_shape)
    if len(input_shape) > 1:
        x = keras.layers.Flatten()(x)
    if dropout_at == "all":
        x = blocks.drop(x, dropout)
    early = 0.0 if dropout_at == "last" else dropout
    x = blocks.head(x, hidden, outputs, activation, early, dropout, layer,
                    output_layer)
    return keras.Model(inputs, x, name="mlp")
