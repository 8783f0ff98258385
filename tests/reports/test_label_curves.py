"""Tests of the curves of accuracy over labels."""

import numpy as np

from bdlzoo.reports.label_curves import label_curves

LABELS = np.array([20, 30, 40])
ACCURACIES = {"random": np.array([[0.5, 0.6, 0.8], [0.3, 0.6, 0.7]]),
              "mean_std": np.array([[0.5, 0.8, 0.9], [0.7, 0.6, 1.0]])}


def _axes(**options):
    [axes] = label_curves(LABELS, ACCURACIES, **options).axes
    return axes


def test_lines_are_means_over_seeds_in_per_cent():
    lines = {line.get_label(): line.get_xydata() for line in _axes().lines}
    np.testing.assert_allclose(lines["random"], [[20, 40], [30, 60], [40, 75]])
    np.testing.assert_allclose(lines["mean std"], [[20, 60], [30, 70], [40, 95]])


def test_bands_are_the_range_over_seeds():
    for band, values in zip(_axes().collections, ACCURACIES.values(), strict=True):
        points = band.get_paths()[0].vertices
        for place, label in enumerate(LABELS):
            at = points[points[:, 0] == label, 1]
            np.testing.assert_allclose([at.min(), at.max()], [
                100 * values[:, place].min(), 100 * values[:, place].max()])


def test_goal_is_a_line_across():
    goal = _axes(goal=0.9).lines[-1]
    np.testing.assert_allclose(goal.get_ydata(), [90, 90])
    assert len(_axes().lines) == 2


def test_axes_say_what_is_seen():
    axes = _axes()
    assert "mean and range of 2 seeds" in axes.get_title()
    assert axes.get_xlabel() == "Labels"
    assert axes.get_ylabel() == "Test accuracy [%]"
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["random", "mean std"]


def test_one_seed_has_no_range():
    one = {name: values[:1] for name, values in ACCURACIES.items()}
    [axes] = label_curves(LABELS, one).axes
    assert axes.get_title() == "Test accuracy over labels"


def test_numbers_of_labels_may_stand_on_a_logarithmic_axis():
    assert _axes().get_xscale() == "linear"
    [axes] = label_curves(np.array([20, 100, 1000]), ACCURACIES, log_labels=True).axes
    assert axes.get_xscale() == "log"
    np.testing.assert_array_equal(axes.get_xticks(), [20, 100, 1000])
    assert [text.get_text() for text in axes.get_xticklabels()] == [
        "20", "100", "1,000"]
    assert not len(axes.get_xticks(minor=True))
