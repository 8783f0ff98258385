"""Tests of the curves along an attack."""

import numpy as np
import pytest

from bdlzoo.reports.attack_curves import attack_curves

ETAS, STEPS = [0.0, 0.1, 0.2], [0, 1]
UNTARGETED = {
    "noisy": dict(accuracy=[0.9, 0.8, 0.5], entropy=[0.2, 0.6, 1.1],
                  entropy_error=[0.01, 0.02, 0.05]),
    "plain": dict(accuracy=[1.0, 0.1, 0.0], entropy=[0.0, 0.1, 0.2],
                  entropy_error=[0.0, 0.01, 0.02])}
TARGETED = {
    "noisy": dict(accuracy=[0.9, 0.7], success=[0.0, 0.2], entropy=[0.3, 0.9],
                  entropy_error=[0.1, 0.2]),
    "plain": dict(accuracy=[1.0, 0.4], success=[0.0, 0.6], entropy=[0.1, 0.2],
                  entropy_error=[0.0, 0.1])}


def _panels(**options):
    """Axes by title and name of what is plotted."""
    figure = attack_curves(ETAS, UNTARGETED, STEPS, TARGETED, **options)
    return {(axes.get_title(), axes.get_ylabel()): axes for axes in figure.axes
            if axes.get_title()}


@pytest.mark.parametrize("title, name, metric, places, curves", [
    ("Untargeted", "Accuracy", "accuracy", ETAS, UNTARGETED),
    ("Untargeted", "Predictive entropy [nats]", "entropy", ETAS, UNTARGETED),
    ("Targeted", "Accuracy", "accuracy", STEPS, TARGETED),
    ("Targeted", "Success on the target", "success", STEPS, TARGETED),
    ("Targeted", "Predictive entropy [nats]", "entropy", STEPS, TARGETED)])
def test_a_panel_has_a_line_for_each_predictor(title, name, metric, places, curves):
    panels = _panels()
    assert len(panels) == 5
    lines = {line.get_label(): line for line in panels[title, name].lines}
    assert lines.keys() == curves.keys()
    for predictor, values in curves.items():
        np.testing.assert_array_equal(
            lines[predictor].get_xydata(), np.transpose([places, values[metric]]))


def test_bands_are_one_standard_error_of_the_entropy():
    panels = _panels()
    for (_, name), axes in panels.items():
        assert len(axes.collections) == (2 if "entropy" in name else 0)
    band = panels["Targeted", "Predictive entropy [nats]"].collections[0]
    points = band.get_paths()[0].vertices
    at = points[points[:, 0] == 1, 1]
    np.testing.assert_allclose([at.min(), at.max()], [0.7, 1.1])


def test_one_legend_names_all_predictors_in_the_colours_of_the_lines():
    figure = attack_curves(ETAS, UNTARGETED, STEPS, TARGETED)
    [legend] = [axes.get_legend() for axes in figure.axes if axes.get_legend()]
    assert [text.get_text() for text in legend.get_texts()] == list(UNTARGETED)
    colours = [line.get_color() for line in legend.get_lines()]
    for axes in figure.axes:
        assert [line.get_color() for line in axes.lines] in ([], colours)


def test_breaks_are_marked_in_the_panels_of_their_attack():
    marks = {}
    for panel, axes in _panels(break_eta=0.1, break_step=1.0).items():
        assert len(axes.lines) == 3
        marks.setdefault(panel[0], set()).update(axes.lines[-1].get_xdata())
    assert marks == {"Untargeted": {0.1}, "Targeted": {1.0}}


def test_a_break_that_never_came_is_not_in_the_way():
    figure = attack_curves(ETAS, UNTARGETED, STEPS, TARGETED, break_eta=float("nan"))
    figure.draw_without_rendering()
    assert figure.axes[0].get_xlim()[1] < 0.3
