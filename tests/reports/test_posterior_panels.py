"""Tests of posteriors side by side."""

import numpy as np

from bdlzoo.reports import posterior_panels

X = np.array([0.0, 1.0, 2.0])


def _figure():
    return posterior_panels(
        X, {"one": (X, np.array([0.5, 1.0, 0.0])), "two": (-X, np.ones(3))},
        [[0.5], [1.5]], [[7.0], [8.0]])


def test_each_posterior_has_a_panel_with_its_mean_and_the_data():
    one, two = _figure().axes
    assert (one.get_title(), two.get_title()) == ("one", "two")
    for axes, mean in ((one, X), (two, -X)):
        lines = {line.get_label(): line.get_xydata() for line in axes.lines}
        np.testing.assert_allclose(lines["mean"], np.stack([X, mean], axis=1))
        np.testing.assert_allclose(lines["training data"], [[0.5, 7], [1.5, 8]])


def test_band_is_two_standard_deviations():
    one, _ = _figure().axes
    points = one.collections[0].get_paths()[0].vertices
    for x, std in ((0.0, 0.5), (1.0, 1.0), (2.0, 0.0)):
        np.testing.assert_allclose(np.ptp(points[points[:, 0] == x, 1]), 4 * std)


def test_panels_share_their_axes():
    one, two = _figure().axes
    assert one.get_ylim() == two.get_ylim()
    assert one.get_xlim() == two.get_xlim() == (0.0, 2.0)
