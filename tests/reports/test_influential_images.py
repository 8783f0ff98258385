"""Lines of images: each test image, then what pushed it."""

import numpy as np

from bdlzoo.reports import influential_images

RNG = np.random.default_rng(0)


def test_every_image_has_its_class_and_its_effect():
    figure = influential_images(
        RNG.uniform(size=(2, 6, 6, 1)), np.array([0, 1]), np.array([0, 2]),
        np.array(["doubtful", "wrong"]), RNG.uniform(size=(2, 3, 6, 6, 1)),
        np.array([[0, 1, 2], [2, 2, 1]]), -np.arange(6.0).reshape(2, 3),
        class_names=["cat", "dog", "a very long name"])
    axes = figure.axes
    assert len(axes) == 8 and all(len(each.images) == 1 for each in axes)
    titles = [each.get_title() for each in axes]
    assert titles == ["cat", "cat", "dog", "a very lo…", "dog, taken for a very lo…",
                      "a very lo…", "a very lo…", "dog"]
    assert axes[7].get_xlabel() == "-5.0e+00" and axes[4].get_ylabel() == "wrong"
    figure.canvas.draw()
