"""Images in rows and columns."""

import numpy as np
import pytest

from bdlzoo.reports import image_grid


def test_images_stand_in_their_places():
    images = np.linspace(-0.5, 1.5, 6 * 4).reshape(2, 3, 2, 2, 1)
    figure = image_grid(images, rows=("a", "b"), columns=("x", "y", "z"), title="Some")
    assert len(figure.axes) == 6
    shown = figure.axes[4].get_images()[0].get_array()
    np.testing.assert_allclose(shown, np.clip(images[1, 1, ..., 0], 0, 1), rtol=1e-6)
    assert [figure.axes[i].get_ylabel() for i in (0, 3)] == ["a", "b"]
    assert [axes.get_xlabel() for axes in figure.axes[3:]] == ["x", "y", "z"]
    assert figure.get_suptitle() == "Some"


def test_colours_are_kept():
    figure = image_grid(np.ones((1, 2, 3, 3, 3)))
    assert figure.axes[0].get_images()[0].get_array().shape == (3, 3, 3)


def test_other_shapes_are_refused():
    with pytest.raises(ValueError, match=r"\(2, 3, 4, 4\)"):
        image_grid(np.zeros((2, 3, 4, 4)))
