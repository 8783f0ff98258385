"""A copy of a network whose weights are averages over the steps of training.

    a_t = d a_(t-1) + (1 - d) w_t,    d = min(1 - 1 / t, decay)       t = 1, 2, ...

So it starts as the plain mean of the weights after steps 1, ..., t, and the initial
weights do not count. Moving statistics of `BatchNormalization` can be averaged too, or
copied, or be left to the passes of the copy itself.
"""

import tensorflow as tf

from bdlzoo.surgery import input_form, random_layers

STATISTICS = ("own", "average", "copy")


def begin(average, network, input_shape):
    """Builds a copy of a network and gives it the weights of the network.

    Args:
        average: Keras model, a clone of the network; it is not trained.
        network: Keras model.
        input_shape: Shape of a batch of inputs, or a structure of them.
    """
    with tf.init_scope():
        average(input_form.blank_rows(network, input_shape))
    random_layers.adopt(average)
    for mine, given in _pairs(average, network):
        mine.assign(given)
        # Of the variables, not of the layers: a layer of statistics that cannot be
        # trained would not collect them.
        mine.trainable = False


def share_kept(step, decay):
    """Share of the average that step `step` keeps, from 1 on: `[]`, a float.

    Args:
        step: Scalar.
        decay: Scalar, the share later on.
    """
    return tf.minimum(1.0 - 1.0 / tf.cast(step, tf.float32), decay)


def follow(average, network, kept, statistics="average"):
    """Moves the averages towards the weights, after a step.

    Args:
        average: Copy of the network.
        network: Keras model.
        kept: Scalar, share of the averages that is kept.
        statistics: What weights that are not trained do: one of `STATISTICS`.
    """
    def move(strategy, kept):
        for mine, given in _pairs(average, network):
            if given.trainable or statistics == "average":
                strategy.extended.update(mine.value, _moved, (given.value, kept))
            elif statistics == "copy":
                strategy.extended.update(mine.value, _moved, (given.value, 0.0))

    # On all replicas at once, since the copies of a weight must stay equal.
    tf.distribute.get_replica_context().merge_call(move, args=(kept,))


def _pairs(average, network):
    return zip(average.weights, network.weights, strict=True)


def _moved(mine, given, kept):
    mine.assign_add(tf.cast(1.0 - kept, mine.dtype) * (given - mine))
