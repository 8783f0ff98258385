"""Base class of densities of an input given the outputs of a decoder."""

import keras
import tensorflow as tf


class PixelLikelihood(keras.layers.Layer):
    """Reads the outputs of a decoder as a density of its input, number by number.

    A subclass writes `log_prob_each`, `mean` and `check_inputs`.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def log_prob(self, x, outputs):
        """Log density of inputs `[B, ...]`: `[B]`, or `[S, B]` for several outputs.

        Args:
            x: Inputs `[B, ...]`.
            outputs: Outputs of the decoder, `[B, ...]` or `[S, B, ...]`.
        """
        return keras.ops.sum(self.log_prob_each(x, outputs), axis=tuple(
            range(len(outputs.shape) - len(x.shape) + 1, len(outputs.shape))))

    def log_prob_of_shared(self, x, outputs):
        """Log density `[S, B]` of all inputs for each of S outputs, which rows share.

        Args:
            x: Inputs `[B, ...]`.
            outputs: Outputs of the decoder, `[S, ...]`.
        """
        shape = tf.concat([tf.shape(outputs)[:1], tf.shape(x)], axis=0)
        wide = tf.broadcast_to(outputs[:, None], shape)
        return self.log_prob(x, tf.ensure_shape(wide, [None, *x.shape]))

    def log_prob_each(self, x, outputs):
        """Log density of every number of the inputs, in the shape of the outputs."""
        raise NotImplementedError

    def mean(self, outputs):
        """Mean of the density, in the shape of the outputs."""
        raise NotImplementedError

    def check_inputs(self, x):
        """Raises a `ValueError` where inputs have no density."""
        raise NotImplementedError

    def quick_check(self, x):
        """A quick look at inputs, inside a graph: `False` asks `check_inputs`."""
        del x
        return tf.constant(False)
