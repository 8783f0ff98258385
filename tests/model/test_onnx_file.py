"""Graphs become files of ONNX, or an error that names what it has not."""

import sys

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.model import onnx_file
from bdlzoo.model.constant_graph import constant_graph
from tests.model import portable


def _graph(function):
    return constant_graph(function, [tf.TensorSpec([None, 3], tf.float32, "a row")])


@portable.NEEDS_ONNX
def test_files_say_what_they_are_and_answer_by_name(tmp_path):
    import onnx

    graph = _graph(lambda rows: {"sum": tf.reduce_sum(rows, axis=1)})
    path = tmp_path / "a.onnx"
    path.write_bytes(onnx_file.content(graph, {"method": "MCDropout", "seed": "3"}))
    made = onnx.load(path)
    about = {entry.key: entry.value for entry in made.metadata_props}
    assert about == {"method": "MCDropout", "seed": "3"}
    sizes = [[size.dim_param or size.dim_value for size in
              value.type.tensor_type.shape.dim]
             for value in (*made.graph.input, *made.graph.output)]
    assert sizes == [["rows", 3], ["rows"]]
    rows = np.arange(6.0, dtype="float32").reshape(2, 3)
    found = onnx_file.answers(path, graph, [rows])
    np.testing.assert_allclose(found["sum"], rows.sum(axis=1))


@portable.NEEDS_ONNX
def test_operations_that_it_has_not_are_refused():
    graph = _graph(lambda rows: {"sums": tf.math.cumulative_logsumexp(rows)})
    with pytest.raises(ValueError, match="operations that ONNX has"):
        onnx_file.content(graph, {})


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"bdlzoo\[onnx\]"):
        onnx_file.content(_graph(lambda rows: {"same": rows + 1.0}), {})
