"""The gallery shows each corruption in its row, each severity in its column."""

import numpy as np
import pytest

from bdlzoo.corruptions import ALL, AdditiveNoise, Brightness, GaussianBlur
from bdlzoo.reports.corruption_gallery import corruption_gallery

IMAGE = np.random.default_rng(0).uniform(size=(8, 8, 1)).astype("float32")


@pytest.mark.parametrize("channels", [1, 3])
def test_picture_of_row_and_column_is_that_corruption_at_that_severity(channels):
    image = IMAGE.repeat(channels, axis=-1)
    kinds = (Brightness, AdditiveNoise)
    figure = corruption_gallery(image, kinds, (2, 5), seed=3)
    shown = [axes.images[0].get_array().reshape(image.shape) for axes in figure.axes]
    expected = [picture for kind in kinds for picture in (
        image, *(kind(s, 3)(image[None])[0] for s in (2, 5)))]
    assert len(shown) == 6
    for picture, truth in zip(shown, expected):
        np.testing.assert_allclose(picture, truth, atol=1e-6)


def test_rows_and_columns_have_their_names():
    axes = corruption_gallery(IMAGE, [GaussianBlur], (1, 4)).axes
    assert [a.get_title() for a in axes] == ["clean", "1", "4"]
    assert axes[0].get_ylabel() == "Gaussian\nblur"


def test_all_corruptions_are_shown_unless_told_otherwise():
    assert len(corruption_gallery(IMAGE).axes) == len(ALL) * 6
