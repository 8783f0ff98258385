"""Tests of the overlaid histograms."""

import numpy as np
import pytest

from bdlzoo.reports import uncertainty_histogram


def _stairs(figure):
    """Values and edges of the named outlines."""
    [axes] = figure.axes
    return {patch.get_label(): patch.get_data() for patch in axes.patches
            if patch.get_label()}


def test_sets_are_drawn_as_shares_over_common_bins():
    scores = {"test": np.array([0.0, 0.1, 0.2, 1.0]), "noise": np.array([2.0])}
    drawn = _stairs(uncertainty_histogram(scores, "Entropy", num_bins=4))
    np.testing.assert_allclose(drawn["test"].values, [0.75, 0, 0.25, 0])
    np.testing.assert_allclose(drawn["noise"].values, [0, 0, 0, 1])
    for name in scores:
        np.testing.assert_allclose(drawn[name].edges, [0, 0.5, 1, 1.5, 2])


def test_axes_and_legend_say_what_is_shown():
    figure = uncertainty_histogram({"test": [0.0, 1.0], "noise": [2.0]}, "Entropy")
    [axes] = figure.axes
    assert axes.get_xlabel() == "Entropy"
    assert axes.get_ylabel() == "Share of inputs"
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["test", "noise"]


def test_no_set_is_lost_when_the_colours_run_out():
    scores = {f"set {i}": [0.0, float(i)] for i in range(8)}
    assert list(_stairs(uncertainty_histogram(scores, "Entropy"))) == list(scores)


def test_infinite_scores_are_counted_at_the_ends():
    scores = {"a": [0.0, 1.0, np.inf, -np.inf], "b": [np.inf]}
    drawn = _stairs(uncertainty_histogram(scores, "Energy", num_bins=4))
    np.testing.assert_allclose(drawn["a"].values, [0.5, 0, 0, 0.5])
    np.testing.assert_allclose(drawn["b"].values, [0, 0, 0, 1])


@pytest.mark.parametrize("value", [0.0, 3.0, np.inf])
def test_equal_scores_are_one_bar(value):
    drawn = _stairs(uncertainty_histogram({"a": [value] * 5}, "Entropy"))
    assert sorted(drawn["a"].values)[-2:] == [0, 1]
    assert np.isfinite(drawn["a"].edges).all()


def test_scores_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="1 NaN"):
        uncertainty_histogram({"a": [0.0, np.nan]}, "Entropy")
