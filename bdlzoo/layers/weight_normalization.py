"""Layer whose kernel has a length of its own, apart from its direction.

    outputs = activation(scale * kernel(x) / ||kernel|| + bias)

The norm is that of the kernel of each output. Scales start as these norms, so that a
new layer is the plain one. The kernel itself is not changed: a product with it is
linear, and its outputs are scaled.

Reference: Salimans and Kingma, Weight Normalization, NeurIPS 2016.
"""

import keras
from keras import ops

_SMALL = 1e-12  # Below the squared norm of any kernel in use.


@keras.saving.register_keras_serializable(package="bdlzoo")
class WeightNormalization(keras.layers.Wrapper):
    """Normalises the kernel of a dense layer or convolution.

    Args:
        layer: `Dense`, `Conv1D`, `Conv2D`, `Conv3D` or transposed convolution of
            Keras, with `use_bias=False` and without an activation.
        activation: Name or callable, after the bias.
        **kwargs: Arguments of `keras.layers.Wrapper`, such as `name`.

    Call arguments:
        inputs: Tensor that the layer takes.

    Example:

        layer = WeightNormalization(keras.layers.Dense(64, use_bias=False), "relu")
    """

    def __init__(self, layer, activation=None, **kwargs):
        super().__init__(layer, **kwargs)
        self.activation = keras.activations.get(activation)

    def build(self, input_shape):
        super().build(input_shape)
        kernel = getattr(self.layer, "kernel", None)
        if kernel is None or self.layer.use_bias or (
                self.layer.activation is not keras.activations.linear):
            raise ValueError(
                "Expected a dense layer or a convolution with `use_bias=False` and "
                "without an activation, which this layer has instead. Received: "
                f"layer {self.layer.name} of type {type(self.layer).__name__}")
        transposed = isinstance(self.layer, (
            keras.layers.Conv1DTranspose, keras.layers.Conv2DTranspose,
            keras.layers.Conv3DTranspose))
        rank = len(kernel.shape)
        self._axis = rank - 2 if transposed else rank - 1
        self._others = [axis for axis in range(rank) if axis != self._axis]
        shape = (kernel.shape[self._axis],)
        self.scale = self.add_weight(
            name="scale", shape=shape,
            initializer=lambda shape, dtype: ops.cast(self._norms(), dtype))
        self.bias = self.add_weight(name="bias", shape=shape, initializer="zeros")

    def call(self, inputs):
        outputs = self.layer(inputs)
        factor = ops.cast(self.scale / self._norms(), outputs.dtype)
        return self.activation(outputs * factor + ops.cast(self.bias, outputs.dtype))

    def compute_output_shape(self, input_shape):
        return tuple(self.layer.compute_output_shape(input_shape))

    def _norms(self):
        """Norm of the kernel of each output."""
        kernel = ops.cast(ops.convert_to_tensor(self.layer.kernel), "float32")
        return ops.sqrt(ops.sum(ops.square(kernel), axis=self._others) + _SMALL)

    def get_config(self):
        return {**super().get_config(),
                "activation": keras.activations.serialize(self.activation)}

    @classmethod
    def from_config(cls, config):
        return super().from_config({**config})  # That of Keras takes parts of it out.
