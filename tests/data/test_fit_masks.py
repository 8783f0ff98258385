"""Images and masks of another size: areas of colours, pixels of classes."""

import numpy as np
import pytest

from bdlzoo.data import fit_masks


def test_blocks_become_pixels():
    small = np.random.default_rng(0).integers(0, 9, (2, 3, 5))
    y = small.repeat(4, 1).repeat(4, 2)
    x = np.repeat(y[..., None] / 10, 3, axis=-1)
    images, masks = fit_masks(x, y, (3, 5))
    np.testing.assert_array_equal(masks, small)
    assert images.dtype == np.float32 and images.shape == (2, 3, 5, 3)
    # The filter of an area reaches over its edges, but the mean stays.
    np.testing.assert_allclose(images.mean(axis=(1, 2)), x.mean(axis=(1, 2)),
                               atol=0.03)


def test_a_pixel_has_the_class_at_its_middle_and_no_new_one():
    y = np.array([[[0, 0, 9, 9, 9, 4, 4]]])
    _, masks = fit_masks(np.zeros((1, 1, 7, 1)), y, (1, 3))
    np.testing.assert_array_equal(masks, [[[0, 9, 4]]])
    _, larger = fit_masks(np.zeros((1, 1, 7, 1)), y, (2, 14))
    np.testing.assert_array_equal(larger, y.repeat(2, 1).repeat(2, 2))


def test_same_size_is_unchanged():
    x, y = np.ones((1, 2, 3, 1)), np.ones((1, 2, 3), int)
    images, masks = fit_masks(x, y, (2, 3))
    np.testing.assert_array_equal(images, x)
    assert masks is y


@pytest.mark.parametrize("shape", [(2, 4, 4), (2, 4, 5, 1), (1, 4, 5)])
def test_masks_of_another_size_are_refused(shape):
    with pytest.raises(ValueError, match=r"of the same size.*Received: x.shape=\(2, 4"):
        fit_masks(np.zeros((2, 4, 5, 3)), np.zeros(shape, int), (2, 2))
    with pytest.raises(ValueError, match="Received: size="):
        fit_masks(np.zeros((2, 4, 5, 3)), np.zeros((2, 4, 5), int), (0, 2))
