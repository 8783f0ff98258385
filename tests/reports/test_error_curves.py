"""Tests of the error curves."""

import numpy as np

from bdlzoo.reports import error_curves

ERRORS = {"one pass": np.array([[0.30, 0.10], [0.20, 0.06]]),
          "draws": np.array([[0.25, 0.05], [0.15, 0.03]])}


def _axes():
    [axes] = error_curves(np.array([1, 2]), ERRORS).axes
    return axes


def test_lines_are_means_over_seeds_in_per_cent():
    lines = {line.get_label(): line.get_xydata() for line in _axes().lines}
    np.testing.assert_allclose(lines["one pass"], [[1, 25], [2, 8]])
    np.testing.assert_allclose(lines["draws"], [[1, 20], [2, 4]])


def test_bands_are_the_range_over_seeds():
    for band, errors in zip(_axes().collections, ERRORS.values()):
        points = band.get_paths()[0].vertices
        for epoch in (1, 2):
            at = points[points[:, 0] == epoch, 1]
            np.testing.assert_allclose(
                [at.min(), at.max()],
                [100 * errors[:, epoch - 1].min(), 100 * errors[:, epoch - 1].max()])


def test_axes_say_what_is_seen():
    axes = _axes()
    assert "2 seeds" in axes.get_title()
    assert axes.get_xlabel() == "Epoch"
    assert axes.get_ylabel() == "Test error [%]"
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == list(ERRORS)
