"""Small convolutional network of the experiments on certified defences.

    conv 16 4x4 stride 2, conv 32 4x4 stride 2, dense 100, dense out

166,406 weights on 28x28x1 with ten outputs. The convolutions are padded and have
strides in place of pooling, so that attacks are cheap.

Reference: Wong and Kolter, Provable Defenses against Adversarial Examples via the
Convex Outer Adversarial Polytope, ICML 2018.
"""

from bdlzoo.core import registry
from bdlzoo.networks.blocks import Stage, convolutional


@registry.register
def WongKolterCNN(input_shape, outputs=10, activation="relu", dropout=0.0,
                  dropout_at="last", conv=None, layer=None, output_layer=None):
    """Builds the network of Wong and Kolter.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`.
        outputs: Integer, number of raw outputs.
        activation: Name or callable, after the hidden layers.
        dropout: Rate in [0, 1), or spec of a dropout layer; 0 for none.
        dropout_at: `"last"` or `"all"`, both of which mean before the output layer,
            since there is no pooling and one hidden dense layer.
        conv: Spec of the convolutions: `None` for those of Keras, a name such as
            `"Conv2DFlipout"`, a dictionary with `type` and arguments, or a callable.
        layer: Spec of the dense layers, of the same kind.
        output_layer: Spec of the output layer; `None` is the same as `layer`.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = WongKolterCNN((28, 28, 1), dropout=0.5)
    ```
    """
    stages = [Stage(filters, 4, "same", pooled=False, strides=2)
              for filters in (16, 32)]
    return convolutional("wong_kolter_cnn", input_shape, 1, stages, (100,),
                         outputs, activation, dropout, dropout_at, conv, layer,
                         output_layer)
