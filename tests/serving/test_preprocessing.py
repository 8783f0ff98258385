"""Raw requests become the rows that the model was trained on."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.serving import preprocessing


def test_raw_units_are_standardized():
    rows = np.random.default_rng(0).normal(5.0, 3.0, (7, 4)).astype("float32")
    mean, std = rows.mean(axis=0), rows.std(axis=0)
    model = preprocessing.standardized(mean, std)
    np.testing.assert_allclose(model(rows), (rows - mean) / std, atol=1e-5)
    image = preprocessing.standardized(np.full((2, 2, 1), 3.0), 2.0)
    np.testing.assert_allclose(image(np.full((1, 2, 2, 1), 7.0)), [[[[2.0]] * 2] * 2])


def test_pixels_are_scaled():
    model = preprocessing.pixels((2, 1, 1))
    assert model.inputs[0].dtype == "uint8"
    np.testing.assert_allclose(
        model(np.array([[[[0]], [[255]]]], "uint8"))[0, :, 0, 0], [0, 1])


@pytest.mark.parametrize("channels", [1, 3])
def test_files_are_decoded_and_resized(channels):
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, (6, 5, channels)).astype("uint8")
    even = np.full((40, 30, channels), 51, "uint8")
    files = [tf.io.encode_png(image), tf.io.encode_jpeg(even, quality=100)]
    found = preprocessing.image_bytes((6, 5, channels))(tf.stack(files))
    np.testing.assert_allclose(found[0], image / 255, atol=1e-6)
    np.testing.assert_allclose(found[1], np.full((6, 5, channels), 0.2), atol=0.01)


def test_what_is_no_image_is_an_invalid_argument():
    with pytest.raises(tf.errors.InvalidArgumentError):
        preprocessing.image_bytes((6, 5, 1))(tf.constant([b"nonsense"]))
    with pytest.raises(ValueError, match="1 or 3 channels"):
        preprocessing.image_bytes((6, 5, 2))
