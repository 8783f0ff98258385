"""Maps of labels beside images."""

import numpy as np

from bdlzoo.reports import label_maps


def test_each_image_has_its_maps_in_a_row_and_missing_ones_are_white():
    random = np.random.default_rng(0)
    targets = random.integers(0, 3, (2, 4, 5)).astype(float)
    targets[0, 1, 2] = np.nan
    uncertainty = random.random((2, 4, 5))
    figure = label_maps(random.random((2, 4, 5, 3)), targets, targets, uncertainty, 3)
    drawn = [axes.images[0] for axes in figure.axes if axes.images]
    assert [axes.get_title() for axes in figure.axes[:4]] == [
        "input", "target", "prediction", "uncertainty"]
    np.testing.assert_array_equal(drawn[1].get_array().mask.nonzero(), ([1], [2]))
    np.testing.assert_array_equal(drawn[7].get_array(), uncertainty[1])
    # One scale for all images, or they could not be compared.
    assert drawn[3].get_clim() == drawn[7].get_clim() == (0.0, uncertainty.max())


def test_numbers_share_the_scale_of_targets_and_means():
    targets, means = np.full((1, 2, 2), 3.0), np.zeros((1, 2, 2))
    figure = label_maps(np.zeros((1, 2, 2, 1)), targets, means, means + 0.1)
    assert [axes.images[0].get_clim() for axes in figure.axes[1:3]] == [(0, 3)] * 2


def test_parts_of_the_uncertainty_have_scales_of_their_own_and_errors_are_marked():
    targets = np.array([[[0, 1], [2, np.nan]]])
    predicted = np.array([[[0, 2], [2, 1.0]]])
    data, model = np.full((1, 2, 2), 0.5), np.full((1, 2, 2), 0.01)
    figure = label_maps(np.zeros((1, 2, 2, 3)), targets, predicted, data + model, 3,
                        aleatoric=data, epistemic=model)
    panels = [axes for axes in figure.axes if axes.get_title()]
    assert [axes.get_title() for axes in panels] == [
        "input", "target", "prediction", "aleatoric", "epistemic", "error"]
    drawn = [axes.images[0] for axes in panels]
    assert drawn[3].get_clim() == (0.0, 0.5) and drawn[4].get_clim() == (0.0, 0.01)
    np.testing.assert_array_equal(drawn[5].get_array().filled(-1), [[0, 1], [0, -1]])
