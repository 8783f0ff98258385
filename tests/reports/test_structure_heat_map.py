"""Tests of a structure drawn as a table of colours."""

import numpy as np
import pytest

from bdlzoo.reports import structure_heat_map

NAMES = ("zero", "dense_relu")
ROWS = np.array([[0.1, 0.9], [0.7, 0.3], [0.5, 0.5]])


def test_colours_numbers_and_names_are_those_of_the_rows():
    axes, bar = structure_heat_map(ROWS, NAMES).axes
    [image] = axes.images
    np.testing.assert_array_equal(image.get_array(), ROWS)
    assert image.get_clim() == (0.0, 1.0)
    texts = {text.get_position(): text.get_text() for text in axes.texts}
    assert texts[1, 0] == "0.90" and texts[0, 1] == "0.70" and len(texts) == 6
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "0 to 1", "0 to 2", "1 to 2"]
    assert [label.get_text() for label in axes.get_xticklabels()] == [
        "zero", "dense\nrelu"]
    assert bar.get_ylim() == (0.0, 1.0)


def test_names_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="operations=.*'zero'"):
        structure_heat_map(ROWS, ("zero",))
