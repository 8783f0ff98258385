"""Tests of images in the shape of another set."""

import importlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdlzoo.data.fit_images import fit_images

GENERATOR = np.random.default_rng(0)


def _images(*shape):
    return GENERATOR.uniform(size=shape).astype("float32")


def test_images_that_fit_stay_as_they_are():
    for channels in (1, 2, 3):
        x = _images(3, 5, 4, channels)
        np.testing.assert_array_equal(fit_images(x, (5, 4, channels)), x)


def test_colour_becomes_its_luminance_and_grey_three_equal_channels():
    pure = np.eye(3, dtype="float32").reshape(3, 1, 1, 3)
    np.testing.assert_allclose(fit_images(pure, (1, 1, 1)).ravel(),
                               [0.299, 0.587, 0.114])
    grey = _images(2, 4, 4, 1)
    colour = fit_images(grey, (4, 4, 3))
    for channel in range(3):
        np.testing.assert_array_equal(colour[..., channel], grey[..., 0])
    np.testing.assert_allclose(fit_images(colour, (4, 4, 1)), grey, rtol=1e-6)


def test_shrinking_averages_instead_of_sampling():
    stripes = np.zeros([1, 32, 32, 1], "float32")
    stripes[:, ::4] = 1.0  # Between two rows in the middle there is no white.
    small = fit_images(stripes, (8, 8, 1))
    assert small.shape == (1, 8, 8, 1)
    np.testing.assert_allclose(small[:, 1:-1], 0.25, atol=0.1)


def test_a_ramp_stays_a_ramp():
    ramp = np.tile(np.linspace(0, 1, 16, dtype="float32")[:, None, None],
                   (1, 1, 16, 1)).reshape(1, 16, 16, 1)
    large = fit_images(ramp, (32, 32, 1))[0, 2:-2, 5, 0]
    np.testing.assert_allclose(np.diff(large), 1 / 30, atol=1e-5)


@settings(max_examples=20, deadline=None)
@given(st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from([1, 3])),
       st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from([1, 3])),
       st.floats(0, 1, width=32))
def test_a_flat_image_stays_flat_in_any_shape(shape, wanted, value):
    found = fit_images(np.full((2, *shape), value, "float32"), wanted)
    assert found.shape == (2, *wanted) and found.dtype == np.float32
    np.testing.assert_allclose(found, value, atol=1e-6)
    assert found.min() >= 0 and found.max() <= 1


def test_rows_at_once_change_nothing(monkeypatch):
    x = _images(7, 6, 6, 3)
    whole = fit_images(x, (4, 5, 1))
    monkeypatch.setattr(importlib.import_module("bdlzoo.data.fit_images"), "_ROWS", 3)
    np.testing.assert_array_equal(fit_images(x, (4, 5, 1)), whole)


def test_what_is_no_image_is_refused():
    with pytest.raises(ValueError, match=r"x.shape=\(5, 6\)"):
        fit_images(np.zeros((5, 6)), (4, 4, 1))
    with pytest.raises(ValueError, match=r"shape=\(16,\)"):
        fit_images(_images(1, 4, 4, 1), (16,))
    with pytest.raises(ValueError, match="1 or 3 channels"):
        fit_images(_images(1, 4, 4, 4), (4, 4, 3))
    with pytest.raises(ValueError, match="values from 0.0 to 255.0"):
        fit_images(np.array([0, 255.0]).reshape(1, 2, 1, 1), (2, 2, 1))
    with pytest.raises(ValueError, match="values from nan"):
        fit_images(np.full((1, 2, 2, 1), np.nan), (2, 2, 1))
