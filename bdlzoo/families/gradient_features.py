"""Features of a generator of perturbations: an input, and gradients there.

    g_1 = grad loss(x),    g_2 = grad loss(ball.at(sign(g_1)))
    features = [x, g_1 / mean |g_1|, g_2 / mean |g_2|]        along the channels

The released code uses gradients of a mean loss, whose size falls with the batch; here
each gradient is divided by its mean size, image by image.
"""

import tensorflow as tf

from bdlzoo.core.ball import slope

_TINY = 1e-20  # A gradient of zero stays zero.


def gradient_features(losses, ball, y):
    """Features `[B, height, width, 3 channels]`, without a gradient.

    Args:
        losses: Function of inputs and classes, returns losses `[B]`.
        ball: `Ball` around the inputs.
        y: Integer classes `[B]`.
    """
    def rise(x):
        return slope(lambda x: tf.reduce_sum(losses(x, y)), x)

    first = rise(ball.center)
    second = rise(ball.at(tf.sign(first)))
    features = [ball.center, *map(_scaled, (first, second))]
    return tf.stop_gradient(tf.concat(features, axis=-1))


def _scaled(gradient):
    size = tf.reduce_mean(tf.abs(gradient), axis=[1, 2, 3], keepdims=True)
    return gradient / tf.maximum(size, _TINY)
