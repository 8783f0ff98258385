"""Separable and dilated convolutions of a cell.

    repeats times: BatchNorm, ReLU, depthwise 3 x 3 convolution, 1 x 1 convolution
    at the end:    BatchNorm without scale and shift

The cell has already normalised the nodes. Of the first BatchNorm, a scale and a shift
are left.
"""

import keras
import tensorflow as tf
from keras import ops

from bdlzoo.layers.grouped_dense import GroupedDense
from bdlzoo.layers.normalized_operation import NormalizedOperation


class GroupedSeparableConv(NormalizedOperation):
    """Applies BatchNorm, ReLU and a separable convolution, once or several times.

    Args:
        groups: Integer, number of nodes side by side in the last axis.
        drop_path: Float, rate at which the operation on a node is left out, for each
            row in training.
        repeats: Integer, number of convolutions, one after the other.
        dilation: Integer, dilation rate of the depthwise convolutions.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `dtype`.
    """

    has_kernels = True

    def __init__(self, groups, drop_path=0.0, repeats=2, dilation=1, **kwargs):
        super().__init__(groups, drop_path, **kwargs)
        self.repeats = repeats
        self.dilation = dilation

    def build(self, input_shape):
        super().build(input_shape)
        shape, _ = input_shape
        kwargs = dict(dtype=self.dtype_policy)
        # Scale and shift of the first BatchNorm.
        self.gamma = self.add_weight(name="gamma", shape=(shape[-1],),
                                     initializer="ones")
        self.beta = self.add_weight(name="beta", shape=(shape[-1],),
                                    initializer="zeros")
        self.norms = [self._norm(shape, affine=True) for _ in range(self.repeats - 1)]
        self.depthwise = [self._depthwise(**kwargs) for _ in range(self.repeats)]
        self.pointwise = [GroupedDense(self.groups, use_bias=False, **kwargs)
                          for _ in range(self.repeats)]
        for layer in self.depthwise:
            layer.build(shape)
        for layer in self.pointwise:
            layer.build(input_shape)

    @property
    def kernel(self):
        return self.pointwise[-1].kernel

    def features(self, nodes, training=False):
        nodes = _scaled(nodes, self.gamma, self.beta)
        for place, depthwise in enumerate(self.depthwise):
            if place:
                nodes = self.pointwise[place - 1].outputs(nodes)
                nodes = self.norms[place - 1](nodes, training=training)
            nodes = _depthwise(tf.nn.relu(nodes), depthwise.kernel, self.dilation)
        return nodes

    def plain(self, group, norm=None):
        first = keras.layers.BatchNormalization(epsilon=norm.epsilon)
        norms = [(first, [self._part(self.gamma, group), self._part(self.beta, group),
                          *norm.get_weights()]),
                 *(self._plain_part(later, group) for later in self.norms)]
        layers = []
        for start, depthwise, pointwise in zip(
                norms, self.depthwise, self.pointwise):
            taps = ops.convert_to_numpy(depthwise.kernel)[..., 0]
            mix = ops.convert_to_numpy(pointwise.kernel)[group]
            layers += [
                start, (keras.layers.ReLU(), []),
                (self._depthwise(), [self._part(taps, group)[..., None]]),
                (keras.layers.Conv2D(mix.shape[-1], 1, use_bias=False),
                 [mix[None, None]])]
        return [*layers, *super().plain(group)]

    def _depthwise(self, **kwargs):
        return keras.layers.DepthwiseConv2D(
            3, padding="same", dilation_rate=self.dilation, use_bias=False, **kwargs)

    def get_config(self):
        return {**super().get_config(), "repeats": self.repeats,
                "dilation": self.dilation}


def _scaled(x, scale, shift):
    """Images with a scale and a shift for each channel.

    Done by the kernel of BatchNorm with moments 0 and 1, which computes all three
    gradients at once.
    """
    channels = x.shape[-1]
    return tf.raw_ops.FusedBatchNormV3(
        x=x, scale=tf.cast(scale, tf.float32), offset=tf.cast(shift, tf.float32),
        mean=tf.zeros([channels]), variance=tf.ones([channels]), epsilon=0.0,
        is_training=False)[0]


def _depthwise(x, kernel, dilation):
    """Depthwise convolution of stride 1 that keeps the size of the images.

    A dilated convolution treats every `dilation`-th row and column as a small image,
    with its own zeros around it. TensorFlow pads the whole image instead, which doubles
    the number of pixels of a small one.
    """
    kernel = tf.cast(kernel, x.dtype)
    if dilation == 1:
        return tf.nn.depthwise_conv2d(x, kernel, [1] * 4, "SAME")
    # Rows and columns to add, so that `dilation` divides both sides: constants where
    # the sides are known. TensorFlow ends the process where it estimates the cost of a
    # gradient whose shape was lost.
    if x.shape[1:3].is_fully_defined():
        missing = [[0, -side % dilation] for side in x.shape[1:3]]
    else:
        missing = tf.stack([[0, 0], -tf.shape(x)[1:3] % dilation], axis=1)
    images = tf.space_to_batch(x, [dilation] * 2, missing)
    outputs = tf.batch_to_space(
        tf.nn.depthwise_conv2d(images, kernel, [1] * 4, "SAME"), [dilation] * 2,
        missing)
    return tf.ensure_shape(outputs, x.shape)
