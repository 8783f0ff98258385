"""Images and masks move together, and the noise is that of the key."""

import itertools

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.data import PairedAugmentation

RANDOM = np.random.default_rng(0)
Y = RANDOM.integers(0, 5, (6, 3, 4)).repeat(5, 1).repeat(5, 2).astype("int32")
X = (Y[..., None] / np.array([5.0, 10.0, 20.0])).astype("float32")
KEY = noise.key(7, noise.AUGMENT, 0)


def test_an_image_is_flipped_with_its_mask_or_stays():
    x, y = PairedAugmentation(flip=0.5)(X, Y, KEY)
    assert x.shape == X.shape and y.dtype == tf.int32
    flipped = [np.array_equal(mask, old[:, ::-1]) for mask, old in zip(y, Y)]
    kept = [np.array_equal(mask, old) for mask, old in zip(y, Y)]
    assert np.all(np.logical_xor(flipped, kept)) and 0 < sum(flipped) < 6
    np.testing.assert_allclose(x, np.where(
        np.reshape(flipped, (6, 1, 1, 1)), X[:, :, ::-1], X), atol=1e-6)


def test_sections_of_images_and_masks_are_the_same():
    """Where colours are not mixed at an edge, the colour is that of the class."""
    x, y = PairedAugmentation(flip=0.5, zoom=0.6)(X, Y, KEY)
    y = y.numpy()
    assert not np.array_equal(y, Y)
    flat = np.ones(y.shape, bool)
    for shift in itertools.product((-1, 0, 1), repeat=2):
        flat &= y == np.roll(y, shift, (1, 2))
    flat[:, [0, -1]] = flat[:, :, [0, -1]] = False  # Their neighbours are outside.
    expected = y[..., None] / np.array([5.0, 10.0, 20.0])
    assert flat.mean() > 0.3
    np.testing.assert_allclose(x.numpy()[flat], expected[flat], atol=1e-5)
    assert set(np.unique(y)) <= set(np.unique(Y))


def test_noise_is_that_of_the_key_and_a_resumed_stream_goes_on():
    augmentation = PairedAugmentation(zoom=0.5)
    again = augmentation(X, Y, KEY)[1]
    np.testing.assert_array_equal(augmentation(X, Y, KEY)[1], again)
    other = augmentation(X, Y, noise.key(7, noise.AUGMENT, 1))[1]
    assert not np.array_equal(again, other)
    weights = np.where(Y == 2, 3.0, 1.0).astype("float32")
    stream = tf.data.Dataset.from_tensors((X, Y, weights)).repeat()
    first, second = augmentation.of_stream(stream, seed=7).take(2)
    np.testing.assert_array_equal(first[1], again)
    np.testing.assert_array_equal(second[1], other)
    np.testing.assert_array_equal(second[2], np.where(other == 2, 3.0, 1.0))
    [resumed] = augmentation.of_stream(stream, seed=7, start=1).take(1)
    np.testing.assert_array_equal(resumed[1], other)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="Received: flip=2"):
        PairedAugmentation(flip=2)
    with pytest.raises(ValueError, match="Received: zoom=True|Received: zoom=1.0"):
        PairedAugmentation(zoom=1.0)
    with pytest.raises(ValueError, match="of the same size"):
        PairedAugmentation()(X, Y[:, :4], KEY)
