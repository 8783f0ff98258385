"""Draws of a graph, written out one after the other instead of in a loop.

A loop makes the noise of a draw while it runs. Where draws are written out, their noise
depends on nothing that is asked: it can be computed once, and kept as a constant by
formats that have no random numbers. See `bdlzoo.model.constant_graph`.
"""

import contextlib
import threading

import tensorflow as tf

_SCOPE = threading.local()  # Graphs are traced in threads.


@contextlib.contextmanager
def writing_out():
    """Writes out the draws of the graph that is traced inside."""
    outer, _SCOPE.on = is_on(), True
    try:
        yield
    finally:
        _SCOPE.on = outer


def is_on():
    """Whether draws are written out now."""
    return getattr(_SCOPE, "on", False)


def map_draws(function, elements, **options):
    """`tf.map_fn`; where draws are written out, a call for each element.

    Args:
        function: Function of an element that returns a tensor.
        elements: Tensor, or structure of them, with one entry for each draw.
        **options: Other arguments of `tf.map_fn`.
    """
    if not is_on():
        return tf.map_fn(function, elements, **options)
    parts = [tf.unstack(part) for part in tf.nest.flatten(elements)]
    return tf.stack([function(tf.nest.pack_sequence_as(elements, each))
                     for each in zip(*parts, strict=True)])


def chosen(index, branches):
    """`tf.switch_case` of a variable; written out, the branch that it has now.

    Args:
        index: Variable of an integer.
        branches: List of functions without arguments.
    """
    if not is_on():
        return tf.switch_case(tf.convert_to_tensor(index), branches)
    with tf.init_scope():
        place = int(index)
    return branches[place]()
