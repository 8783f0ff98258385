"""Dropout of whole channels with a learnt rate.

Like `ConcreteDropout`, with one mask for all positions of a channel. The kernel of a
convolution has a row for each channel, so that a mask is a draw of its weights. A
channel has more influence than a unit; a higher tau lowers the variance of the
gradient.

Reference: Gal, Hron and Kendall, Concrete Dropout, NeurIPS 2017.
"""

import keras

from bdlzoo.layers.concrete_dropout import ConcreteDropout


@keras.saving.register_keras_serializable(package="bdlzoo")
class SpatialConcreteDropout(ConcreteDropout):
    """Drops channels of inputs of any rank at a learnt rate.

    Put it before the convolution whose inputs it drops.

    Args:
        rate: Float in (0, 1), dropout rate at the start of training.
        tau: Float, softness of the relaxation; near 0 a mask is zeros and ones.
        data_format: `"channels_last"` or `"channels_first"`; `None` is the setting
            of Keras.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        keras.Sequential([SpatialConcreteDropout(), keras.layers.Conv2D(32, 3)])
    """

    def __init__(self, rate=0.1, tau=2 / 3, data_format=None, **kwargs):
        super().__init__(rate, tau, **kwargs)
        self.data_format = data_format or keras.config.image_data_format()
        if self.data_format not in ("channels_last", "channels_first"):
            raise ValueError("Expected 'channels_last' or 'channels_first'. "
                             f"Received: data_format={data_format!r}")

    def _num_features(self, input_shape):
        return input_shape[self._axis(input_shape)]

    def _noise_shape(self, shape):
        return tuple(size if i in (0, self._axis(shape)) else 1
                     for i, size in enumerate(shape))

    def _axis(self, shape):
        return 1 if self.data_format == "channels_first" else len(shape) - 1

    def get_config(self):
        return {**super().get_config(), "data_format": self.data_format}
