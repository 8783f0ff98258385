"""Returns of agents while they learn."""

import numpy as np
import pytest

from bdlzoo import reports


def test_lines_are_means_and_bands_reach_over_seeds():
    figure = reports.return_curves({
        "agent": [([0, 10], [0.0, 1.0]), ([0, 20], [0.0, 4.0])],
        "other": [([0, 10], [np.nan, 2.0])]}, goal=1.0)
    [axes] = figure.axes
    agent, other, goal = axes.lines
    np.testing.assert_allclose(agent.get_xdata()[[0, -1]], [0, 10])
    np.testing.assert_allclose(agent.get_ydata()[-1], 1.5)
    np.testing.assert_allclose(other.get_ydata(), 2.0)
    assert len(axes.collections) == 1 and goal.get_linestyle() == ":"
    assert reports.return_curves({"a": [([1, 10], [0, 1])]}, log=True).axes[
        0].get_xscale() == "log"


def test_run_without_a_return_is_refused():
    with pytest.raises(ValueError, match="at least one return"):
        reports.return_curves({"agent": [([0, 1], [np.nan, np.nan])]})


def test_many_names_stand_beside_the_plot():
    for count, beside in ((4, False), (7, True)):
        [axes] = reports.return_curves({
            str(place): [([1, 10], [0, 1])] for place in range(count)}).axes
        place = axes.get_legend().get_bbox_to_anchor().transformed(
            axes.transAxes.inverted())
        assert (place.x0 >= 1.0) == beside
    styles = [(line.get_color(), line.get_linestyle()) for line in axes.lines]
    assert len(set(styles)) == 7 and styles[6][1] == "--"
