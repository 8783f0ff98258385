"""Measures: the quantities of a prediction, each computed when it is first read.

They run in a graph too: a served model runs the same lines of code.
"""

import functools

import tensorflow as tf


def measure(function):
    """A property that is computed once; an array outside of graphs."""

    def value(self):
        result = function(self)
        return result.numpy() if tf.executing_eagerly() else result

    value.__doc__ = function.__doc__
    return functools.cached_property(value)


def log_mean_of(log_probs):
    """Log of the mean over draws, from log-probabilities `[S, ...]`."""
    count = tf.cast(tf.shape(log_probs)[0], log_probs.dtype)
    return tf.reduce_logsumexp(log_probs, axis=0) - tf.math.log(count)
