"""What a step knows of two domains: rows with labels, and rows without."""

import typing

import tensorflow as tf


class DomainPair(typing.NamedTuple):
    """Batches of both domains, as the terms of a loss read them.

    The first five are those of this replica, the others those of all replicas.

    Args:
        x: Inputs of the source.
        y: Labels of the source, as `fit` had them.
        sample_weight: Weights of rows of the source, or `None`.
        hidden: What the head reads for the source; `None` where nobody asks for it.
        target_x: Inputs of the target.
        labels: Integer classes of the source, `[B]`.
        source: Features of the source, `[B, F]`.
        target: Features of the target, `[T, F]`.
        source_outputs: Outputs of the network for the source, `[B, C]`.
        target_outputs: Outputs of the network for the target, `[T, C]`.
        teacher: Outputs of the teacher for the target, `[T, C]`, without a gradient;
            `None` where nobody asks for them.
        step: Scalar, steps before this one.
        key: Key of the noise.
    """

    x: typing.Any
    y: tf.Tensor
    sample_weight: tf.Tensor | None
    hidden: tf.Tensor | None
    target_x: typing.Any
    labels: tf.Tensor
    source: tf.Tensor
    target: tf.Tensor
    source_outputs: tf.Tensor
    target_outputs: tf.Tensor
    teacher: tf.Tensor | None
    step: tf.Tensor
    key: tf.Tensor

    @property
    def pseudo_labels(self):
        """Classes that the teacher gives the target, `[T]`."""
        return tf.argmax(self.teacher, axis=-1, output_type=tf.int32)

    @property
    def confidence(self):
        """Largest probability of the teacher for the target, `[T]`."""
        return tf.reduce_max(tf.nn.softmax(self.teacher), axis=-1)
