"""Tables of text, and predictions that have no numbers to show in one."""

import numpy as np
import tensorflow as tf

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.core.regression_prediction import RegressionPrediction
from bdlzoo.core.text_table import text_table


def test_columns_are_as_wide_as_their_widest_cell():
    columns = {"row": [0, 1], "x": np.array([0.123456, 1234.5678])}
    assert text_table("title", columns, more=True).splitlines() == [
        "title", "row       x", "  0  0.1235", "  1    1235", "..."]
    assert text_table("title", columns, more=False).splitlines()[-1] == "  1    1235"


def test_prediction_in_a_graph_is_shown_by_its_shape():
    kept = []

    @tf.function(input_signature=[tf.TensorSpec((3, None, 4))])
    def trace(x):
        kept.extend([ClassPrediction(x), RegressionPrediction(x, x)])
        kept.append(repr(kept[0]))
        return x

    trace(tf.zeros((3, 2, 4)))
    assert kept[2] == "ClassPrediction(log_probs of shape (3, None, 4))"
    assert repr(kept[0]) == kept[2], "outside of the graph it came from"
    assert repr(kept[1]) == "RegressionPrediction(means of shape (3, None, 4))"
