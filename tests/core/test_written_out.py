"""Draws that are written out are those of a loop, without the loop."""

import numpy as np
import tensorflow as tf

from bdlzoo.core import written_out


def _graph(on):
    keys = tf.reshape(tf.range(6.0), [3, 2])

    @tf.function
    def answer(x):
        if not on:
            return written_out.map_draws(lambda key: x * key[0] + key[1], keys)
        with written_out.writing_out():
            return written_out.map_draws(lambda key: x * key[0] + key[1], keys)

    return answer.get_concrete_function(tf.TensorSpec([2], tf.float32))


def test_written_out_draws_are_those_of_the_loop():
    loop, flat = _graph(False), _graph(True)
    x = tf.constant([1.0, 10.0])
    np.testing.assert_array_equal(loop(x), flat(x))
    np.testing.assert_array_equal(flat(x), [[1, 1], [5, 23], [9, 45]])
    kinds = {op.type for op in flat.graph.get_operations()}
    assert not any("While" in kind for kind in kinds)
    assert any("While" in op.type for op in loop.graph.get_operations())


def test_structures_of_draws_are_taken_apart_together():
    with written_out.writing_out():
        found = written_out.map_draws(
            lambda each: each[0] + each[1],
            (tf.constant([1, 2]), tf.constant([30, 40])))
    np.testing.assert_array_equal(found, [31, 42])


def test_branch_is_chosen_once_when_written_out():
    index = tf.Variable(1)
    branches = [lambda: tf.constant(5), lambda: tf.constant(7)]

    def traced(on):
        def answer():
            if not on:
                return written_out.chosen(index, branches)
            with written_out.writing_out():
                return written_out.chosen(index, branches)
        return tf.function(answer, autograph=False).get_concrete_function()

    live, fixed = traced(False), traced(True)
    index.assign(0)
    assert int(live()) == 5 and int(fixed()) == 7
    assert not written_out.is_on()
