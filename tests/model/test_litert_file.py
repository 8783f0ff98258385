"""Graphs become files of LiteRT, or an error that names what it has not."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.model import litert_file
from bdlzoo.model.constant_graph import constant_graph


def _graph(function, name="rows"):
    return constant_graph(function, [tf.TensorSpec([None, 3], tf.float32, name)])


def test_files_answer_by_name_for_any_number_of_rows(tmp_path):
    graph = _graph(lambda rows: {"sum": tf.reduce_sum(rows, axis=1),
                                 "twice": 2.0 * rows})
    path = tmp_path / "a.tflite"
    path.write_bytes(litert_file.content(graph, {}))
    for count in (1, 5):
        rows = np.arange(3.0 * count, dtype="float32").reshape(count, 3)
        found = litert_file.answers(path, graph, [rows])
        np.testing.assert_allclose(found["sum"], rows.sum(axis=1))
        np.testing.assert_allclose(found["twice"], 2.0 * rows)


def test_operations_and_names_that_it_has_not_are_refused():
    graph = _graph(lambda rows: {"sums": tf.math.cumulative_logsumexp(rows)})
    with pytest.raises(ValueError, match="operations that LiteRT has"):
        litert_file.content(graph, {})
    with pytest.raises(ValueError, match="a row"):
        litert_file.content(_graph(lambda rows: {"same": rows + 1.0}, "a row"), {})
