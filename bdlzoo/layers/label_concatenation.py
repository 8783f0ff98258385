"""Layer that puts labels beside features, for networks that are told a class.

    [x, y]   features `[B, F]`           ->  `[B, F + K]`
    [x, y]   features `[B, H, W, F]`     ->  `[B, H, W, F + K]`, y at every place

Reference: Mirza and Osindero, Conditional Generative Adversarial Nets, 2014.
"""

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="bdlzoo")
class LabelConcatenation(keras.layers.Layer):
    """Concatenates features and one-hot labels along the last axis.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.

    Call arguments:
        inputs: Pair of features `[B, ..., F]` and labels `[B, K]`.

    Example:

        x = LabelConcatenation()([x, labels])
        x = keras.layers.Conv2D(64, 3)(x)
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def build(self, input_shape):
        self.compute_output_shape(input_shape)  # Checks it.

    def call(self, inputs):
        features, labels = inputs
        labels = ops.cast(labels, features.dtype)
        places = features.shape[1:-1]
        labels = ops.reshape(labels, (-1, *(1,) * len(places), labels.shape[-1]))
        tiled = ops.tile(labels, (1, *places, 1)) if places else labels
        return ops.concatenate([features, tiled], axis=-1)

    def compute_output_shape(self, input_shape):
        if len(input_shape) != 2 or len(input_shape[1]) != 2:
            raise ValueError("Expected a pair: features [B, ..., F] and labels [B, K]. "
                             f"Received: inputs of shapes {input_shape}")
        features, labels = input_shape
        return (*features[:-1], features[-1] + labels[-1])
