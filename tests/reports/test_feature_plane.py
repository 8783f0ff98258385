"""Features of two domains in the plane."""

import numpy as np

from bdlzoo.reports import feature_plane

RNG = np.random.default_rng(0)
SOURCE, TARGET = RNG.normal(size=(2, 12, 5))


def test_both_domains_are_in_both_panels():
    figure = feature_plane(SOURCE, TARGET[:9], np.arange(12) % 3, np.arange(9) % 3)
    for axes, name in zip(figure.axes, ("PCA", "t-SNE"), strict=True):
        assert name in axes.get_title()
        source, target = axes.collections
        assert (len(source.get_offsets()), len(target.get_offsets())) == (12, 9)
        np.testing.assert_array_equal(target.get_array(), np.arange(9) % 3)


def test_first_panel_is_the_plane_of_largest_variance():
    rows = np.zeros((24, 5))
    rows[:, 3] = np.arange(24)
    axes = feature_plane(rows[:12], rows[12:], np.zeros(12), np.zeros(12)).axes[0]
    places = np.concatenate([c.get_offsets()[:, 0] for c in axes.collections])
    np.testing.assert_allclose(np.abs(np.diff(places)), 1.0, atol=1e-6)
