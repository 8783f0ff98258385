"""Tests of a structure drawn as a graph."""

import numpy as np
import pytest
from matplotlib import colors

from bdlzoo.reports import structure_graph

NAMES = ("zero", "identity", "dense_relu")
ROWS = np.array([[0.1, 0.8, 0.1], [0.7, 0.2, 0.1], [0.0, 0.0, 1.0]])


def test_each_edge_has_an_arc_of_its_likeliest_operation():
    figure = structure_graph(ROWS, NAMES)
    [axes] = figure.axes
    arcs = axes.patches
    assert [arc.get_label() for arc in arcs] == [
        "0 to 1: identity", "0 to 2: zero", "1 to 2: dense_relu"]
    widths = np.array([arc.get_linewidth() for arc in arcs])
    np.testing.assert_allclose(widths / widths[2], [0.8, 0.7, 1.0])
    assert [arc.get_linestyle() for arc in arcs] == ["-", ":", "-"]
    [legend] = figure.legends
    shown = {text.get_text(): line.get_color() for text, line in zip(
        legend.get_texts(), legend.get_lines())}
    assert list(shown) == ["zero", "identity", "dense relu"]
    assert colors.to_rgba(shown["identity"]) == arcs[0].get_edgecolor()
    assert [text.get_text() for text in axes.texts] == ["0", "1", "2"]


def test_arcs_lie_inside_of_the_picture():
    figure = structure_graph(np.tile([[0.0, 0.0, 1.0]], (21, 1)), NAMES)
    [axes] = figure.axes
    figure.canvas.draw()
    inside = axes.get_window_extent()
    for arc in axes.patches:
        box = arc.get_window_extent()
        assert box.y1 <= inside.y1 + 1 and box.x0 >= inside.x0


def test_rows_that_are_no_cell_are_refused():
    with pytest.raises(ValueError, match=r"shape \(2, 3\)"):
        structure_graph(ROWS[:2], NAMES)
