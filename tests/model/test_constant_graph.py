"""Graphs for other formats keep what depends on inputs, and nothing else."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.model import constant_graph as module
from bdlzoo.model.constant_graph import constant_graph

ROWS = [tf.TensorSpec([None, 3], tf.float32, "a row")]


def _kinds(graph):
    return [node.op for node in graph.definition.node]


def test_noise_and_weights_become_constants_of_the_same_value():
    weight = tf.Variable([[1.0], [2.0], [3.0]])
    key = noise.key(5, noise.PREDICT)

    def answer(rows):
        drawn = weight + 0.1 * noise.normal([3, 1], key)
        return {"sum": tf.matmul(rows, drawn), "first": drawn[0]}

    graph = constant_graph(answer, ROWS)
    weight.assign(tf.zeros([3, 1]))  # What was written does not move.
    found = tf.function(graph.run)(tf.eye(3))
    expected = np.array([[1.0], [2.0], [3.0]]) + 0.1 * noise.normal([3, 1], key)
    np.testing.assert_array_equal(found["sum"], expected)
    np.testing.assert_array_equal(found["first"], expected[0])
    assert set(_kinds(graph)) == {"Const", "Identity", "MatMul", "Placeholder"}
    assert list(graph.inputs) == ["a row"]


def test_equal_constants_are_kept_once():
    weight = tf.Variable(tf.ones([3, 64]))

    def answer(rows):  # Each draw reads the weight anew.
        return {"sum": tf.add_n([tf.matmul(rows, tf.identity(weight) * scale)
                                 for scale in (1.0, 2.0 - 1.0, 3.0)])}

    graph = constant_graph(answer, ROWS)
    assert _kinds(graph).count("Const") == 2


def test_checks_are_left_out():
    def answer(rows):
        check = tf.debugging.Assert(tf.reduce_all(rows > 0), ["positive"])
        with tf.control_dependencies([check]):
            return {"twice": 2.0 * rows}

    graph = constant_graph(answer, ROWS)
    assert "Assert" not in _kinds(graph)
    found = tf.function(graph.run)(-tf.ones([1, 3]))
    np.testing.assert_array_equal(found["twice"], [[-2.0] * 3])


def test_loops_over_inputs_stay():
    def answer(rows):
        return {"power": tf.while_loop(
            lambda power: tf.reduce_max(power) < 100.0, lambda power: power * 2.0,
            [rows])[0]}

    graph = constant_graph(answer, ROWS)
    found = tf.function(graph.run)(tf.ones([1, 3]))
    np.testing.assert_array_equal(found["power"], [[128.0] * 3])


def test_noise_of_the_rows_cannot_be_fixed():
    def answer(rows):
        return {"noisy": rows + noise.normal(tf.shape(rows), noise.key(1))}

    def hidden(rows):  # In the body of a loop.
        return {"noisy": tf.map_fn(
            lambda row: row + noise.normal([3], noise.key(tf.cast(row[0], tf.int32))),
            rows)}

    for each in (answer, hidden):
        with pytest.raises(ValueError, match="do not depend on the inputs"):
            constant_graph(each, ROWS)


def test_files_that_are_too_large_are_refused(monkeypatch):
    monkeypatch.setattr(module, "_LARGEST", 1000)
    with pytest.raises(ValueError, match="smaller `num_samples`"):
        constant_graph(lambda rows: {"sum": tf.matmul(
            rows, tf.reshape(tf.range(999.0), [3, 333]))}, ROWS)


def test_lists_of_tensors_that_a_loop_fills_stay():
    def answer(rows):
        return {"all": tf.map_fn(lambda part: rows * part, tf.constant([1.0, 2.0]))}

    graph = constant_graph(answer, ROWS)
    found = tf.function(graph.run)(tf.ones([1, 3]))
    np.testing.assert_array_equal(found["all"], [[[1.0] * 3], [[2.0] * 3]])
