"""Head of dropout and a dense layer, for all draws in one product.

    (x * z_s) W + b = x (z_s * W) + b

A coherent draw has one noise z_s for all rows, so that the noise can scale the rows of
the kernel in place of the inputs. The kernels of all draws, side by side, are one
matrix: one product replaces a loop over draws, and only the noise is drawn in a loop.

This is for small kernels, such as those of a few classes. Copies of a large kernel
would cost more than the loop, and all draws must fit into memory.
"""

import math

import keras
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.surgery import conversion, memory

_LARGEST = 2**15  # Numbers in a kernel.


class FoldedHead:
    """Runs dropout and the dense layer behind it for all draws at once.

    Args:
        dropout: `Call` of a layer that scales its inputs.
        dense: `Call` of `keras.layers.Dense`.
    """

    def __init__(self, dropout, dense):
        [self.source] = dropout.inputs.values()
        self.dropout = dropout.layer
        self.dense = dense.layer
        width, units = self.dense.kernel.shape
        # Draws at once: a quarter of the budget for their kernels, held twice.
        self.most = memory.BUDGET // (4 * 8 * width * units)

    @classmethod
    def of(cls, trunk):
        """The folded head of a split network; `None` if it has another form."""
        if trunk.functional is None or len(trunk.after) != 2:
            return None
        dropout, dense = trunk.after
        fits = (conversion.scales_inputs(dropout.layer)
                and [len(t.shape) for t in dropout.arguments.keras_tensors] == [2]
                and type(dense.layer) is keras.layers.Dense
                and not dense.layer.lora_enabled
                and dense.layer.quantization_mode is None
                and trunk.results == dense.outputs
                and math.prod(dense.layer.kernel.shape) <= _LARGEST)
        return cls(dropout, dense) if fits else None

    def draws(self, hidden, keys):
        """Outputs `[S, B, C]` of the draws whose keys are given."""
        dtype = self.dense.compute_dtype
        x, kernel = (tf.cast(t, dtype)
                     for t in (hidden[self.source], self.dense.kernel))  # [B, D]
        width, units = kernel.shape
        blank = tf.ones([1, width], dtype)

        def factors(key):
            with noise.draws(key, coherent=True):
                return tf.cast(self.dropout(blank), dtype)[0]

        scales = tf.map_fn(factors, keys, fn_output_signature=dtype)  # [S, D]
        kernels = tf.transpose(scales)[..., None] * kernel[:, None]  # [D, S, C]
        outputs = tf.matmul(x, tf.reshape(kernels, [width, -1]))
        outputs = tf.reshape(outputs, [tf.shape(x)[0], -1, units])
        if self.dense.bias is not None:
            outputs += tf.cast(self.dense.bias, dtype)
        return tf.transpose(self.dense.activation(outputs), [1, 0, 2])
