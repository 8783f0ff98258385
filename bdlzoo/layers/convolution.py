"""Base class of convolutions with a posterior over their kernel."""

from keras import ops

from bdlzoo.layers.patches import patches


class ConvolutionMap:
    """Applies kernels to signals, images or volumes.

    To be mixed into a convolution of Keras, before it and after a technique.
    """

    one_position = False  # A kernel is used at many positions of a row.

    def build(self, input_shape):
        if self.groups > 1:
            # TensorFlow has no gradient of grouped convolutions on a CPU, and
            # kernels that differ over a batch are multiplied as matrices.
            raise ValueError("Expected one group of channels: use the layer of Keras "
                             f"for more. Received: groups={self.groups}")
        super().build(input_shape)
        first = self.data_format == "channels_first"
        self.input_channels = input_shape[1 if first else -1]
        self.output_channels = self.filters

    def linear(self, inputs, kernel):
        inputs, padding = self._padded(inputs)
        return ops.conv(inputs, kernel, strides=list(self.strides),
                        padding=padding, dilation_rate=self.dilation_rate,
                        data_format=self.data_format)

    def linear_each(self, inputs, kernels):
        inputs, padding = self._padded(inputs)
        first = self.data_format == "channels_first"
        if first:
            inputs = ops.moveaxis(inputs, 1, -1)
        seen = patches(inputs, self.kernel_size, self.strides, padding,
                       self.dilation_rate)  # [K * B, *positions, places, C]
        count, places = ops.shape(kernels)[0], seen.shape[-2] * seen.shape[-1]
        outputs = ops.matmul(ops.reshape(seen, (count, -1, places)),
                             ops.reshape(kernels, (count, places, self.filters)))
        outputs = ops.reshape(outputs, (*ops.shape(seen)[:-2], self.filters))
        return ops.moveaxis(outputs, -1, 1) if first else outputs

    def _padded(self, inputs):
        """Inputs and padding for `ops.conv`, which has no causal padding."""
        if self.padding != "causal":
            return inputs, self.padding
        ahead = (self.dilation_rate[0] * (self.kernel_size[0] - 1), 0)
        last = self.data_format == "channels_last"
        return ops.pad(inputs, [(0, 0), ahead, (0, 0)] if last
                       else [(0, 0), (0, 0), ahead]), "valid"
