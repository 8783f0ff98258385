"""What all corruptions owe: range, fixed noise, one result everywhere."""

import math

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo import data
from bdlzoo.corruptions import ALL, AdditiveNoise, Corruption, Rotation
from bdlzoo.corruptions.corruption import smooth, warp

RANDOM = [kind for kind in ALL if kind.__name__ not in (
    "GaussianBlur", "Contrast", "Brightness", "Zoom", "Pixelate")]
DIGITS = data.load("digits", "test").x[:64]
rng = np.random.default_rng(0)


def _colour(height, width):
    """Three pictures of waves and a little grain."""
    row, column = np.mgrid[:height, :width] / max(height, width)
    waves = np.sin(rng.uniform(2, 9, (3, 1, 1, 3)) * row[..., None]
                   + rng.uniform(2, 9, (3, 1, 1, 3)) * column[..., None])
    grain = rng.uniform(-0.1, 0.1, waves.shape)
    return (0.5 + 0.35 * waves + grain).astype("float32")


COLOUR = _colour(12, 17)
each = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)


class Nothing(Corruption):
    """Leaves images as they are, and hands out its noise."""

    amounts = range(5)

    def corrupt(self, images):
        return images


@each
@pytest.mark.parametrize("images", [DIGITS, COLOUR], ids=["digits", "colour"])
def test_shape_and_range_stay_and_severity_tells(kind, images):
    distance = []
    for severity in range(1, 6):
        result = kind(severity)(images)
        assert result.shape == images.shape and result.dtype == tf.float32
        assert 0.0 <= result.numpy().min() and result.numpy().max() <= 1.0
        distance.append(np.mean((result - images)**2))
    assert distance[0] > 1e-4
    assert np.all(np.diff(distance) > 0.0), distance


@each
@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_type_of_the_images_is_kept_and_their_noise(kind, dtype):
    images = np.round(DIGITS * 255) / 255
    result = kind(3)(images.astype(dtype))
    assert result.dtype == dtype
    np.testing.assert_allclose(result, kind(3)(images.astype("float32")), atol=4e-3)


@each
def test_seed_repeats_and_another_one_does_not(kind):
    first = kind(3, seed=1)(DIGITS)
    np.testing.assert_array_equal(kind(3, seed=1)(DIGITS), first)
    same = np.array_equal(kind(3, seed=2)(DIGITS), first)
    assert same == (kind not in RANDOM)


@each
def test_image_is_the_same_alone_and_at_any_place_of_any_batch(kind):
    layer = kind(4)
    together = layer(DIGITS).numpy()
    np.testing.assert_allclose(layer(DIGITS[5:6])[0], together[5], atol=1e-6)
    np.testing.assert_allclose(layer(DIGITS[::-1])[::-1], together, atol=1e-6)


@each
def test_eager_and_xla_agree(kind):
    compiled = tf.function(kind(3), jit_compile=True)
    np.testing.assert_allclose(compiled(COLOUR), kind(3)(COLOUR), atol=1e-5)


@each
def test_file_and_config_bring_the_same_layer_back(kind, tmp_path):
    model = keras.Sequential([keras.Input((8, 8, 1)), kind(2, seed=7)])
    expected = kind(2, seed=7)(DIGITS)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(loaded(DIGITS), expected, atol=1e-5)
    config = loaded.layers[0].get_config()
    assert (config["severity"], config["seed"]) == (2, 7)


@pytest.mark.slow
@each
def test_eager_and_the_graph_of_a_pipeline_agree(kind):
    dataset = tf.data.Dataset.from_tensor_slices(DIGITS).batch(24).map(kind(3))
    np.testing.assert_allclose(np.concatenate(list(dataset)), kind(3)(DIGITS),
                               atol=1e-5)


def test_noise_is_uniform_and_independent_within_and_between_images():
    images = rng.uniform(size=(60, 4, 4, 1)).astype("float32")
    uniform = Nothing().uniform(images, 4000).numpy()
    assert 0.0 < uniform.min() and uniform.max() < 1.0
    counts = np.histogram(uniform, bins=20, range=(0, 1))[0]
    # Chi-squared with 19 degrees of freedom passes 44 once in a thousand.
    assert np.sum((counts - counts.mean())**2) / counts.mean() < 44
    between = np.corrcoef(uniform)[np.triu_indices(60, 1)]
    within = [np.corrcoef(uniform[:, :-lag].ravel(), uniform[:, lag:].ravel())[0, 1]
              for lag in (1, 2, 3, 8)]
    assert abs(between.std() * math.sqrt(4000) - 1) < 0.1
    assert np.abs(between).max() < 0.08 and np.abs(within).max() < 0.01


def test_normals_and_signs_have_their_moments():
    images = rng.uniform(size=(500, 9, 9, 3)).astype("float32")
    normal = Nothing().normal(images).numpy()
    assert normal.shape == images.shape  # An odd number: one is left over.
    assert abs(normal.mean()) < 0.02 and abs(normal.std() - 1) < 0.02
    assert abs((normal**4).mean() - 3) < 0.2
    signs = Nothing().signs(images, 3).numpy()
    assert np.array_equal(np.unique(signs), [-1, 1]) and abs(signs.mean()) < 0.1


def test_corruptions_have_streams_of_their_own():
    images = tf.constant(DIGITS)
    assert not np.allclose(AdditiveNoise().uniform(images, 8),
                           Rotation().uniform(images, 8))


def test_result_is_clipped():
    class Loud(Corruption):
        amounts = (9.0,)

        def corrupt(self, images):
            return self.amount * (images - 0.5)

    np.testing.assert_array_equal(
        Loud()(np.reshape([0.0, 0.5, 1.0], (1, 1, 3, 1)))[0, 0, :, 0], [0, 0, 1])


@pytest.mark.parametrize("matrix, expected", [
    (((0.0, 1.0), (1.0, 0.0)), lambda x: x.transpose(0, 2, 1, 3)),
    (((-1.0, 0.0), (0.0, 1.0)), lambda x: x[:, ::-1]),
    (((0.0, 1.0), (-1.0, 0.0)), lambda x: np.rot90(x, 1, (1, 2))),
])
def test_warp_by_a_symmetry_of_the_square_is_exact(matrix, expected):
    images = rng.uniform(size=(2, 5, 5, 3)).astype("float32")
    np.testing.assert_allclose(warp(images, matrix), expected(images), atol=1e-6)


def test_warp_interpolates_and_fades_to_black():
    row = np.reshape([1.0, 0.0, 0.5], (1, 1, 3, 1)).astype("float32")
    np.testing.assert_allclose(warp(row, shift=(0.0, 0.25))[0, 0, :, 0],
                               [0.75, 0.25, 0.375], atol=1e-6)
    np.testing.assert_array_equal(warp(row, shift=(0.0, -9.0)), 0 * row)


@pytest.mark.parametrize("axis", [1, 2])
def test_smooth_is_a_convolution_in_a_mirror(axis):
    weights = np.array([0.5, 0.3, 0.2])
    expected = np.apply_along_axis(
        lambda line: np.correlate(np.pad(line, 1, "symmetric"), weights, "valid"),
        axis, COLOUR.astype("float64"))
    np.testing.assert_allclose(smooth(COLOUR, weights, axis), expected, atol=1e-6)


@pytest.mark.parametrize("severity", [0, 6, 2.5, "3"])
def test_other_severities_are_refused(severity):
    with pytest.raises(ValueError, match="from 1 to 5.*Received: severity="):
        Rotation(severity)


@pytest.mark.parametrize("images, words", [
    (np.zeros((8, 8, 1), "float32"), "batch axis.*Received: images.shape"),
    (np.zeros((2, 8, 8, 5), "float32"), "1 or 3 channels"),
    (np.zeros((2, 8, 8, 1), "uint8"), "divide bytes.*Received: images.dtype=uint8"),
    (np.full((2, 8, 8, 1), 1.5, "float32"), r"Received: values from 1.5 to 1.5"),
    (np.full((2, 8, 8, 1), np.nan, "float32"), "Received: values from nan"),
])
def test_what_is_no_image_is_refused(images, words):
    with pytest.raises(ValueError, match=words):
        Nothing()(images)


def test_size_must_be_known():
    with pytest.raises(ValueError, match="known size"):
        keras.Sequential([keras.Input((None, None, 1)), Nothing()])
