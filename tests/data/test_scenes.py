"""Scenes: labels follow the law that is told, and only borders are uncertain."""

import numpy as np
import pytest

from bdlzoo.data import class_names, describe, draw_scenes, load
from bdlzoo.data.scenes import CLASSES, UNKNOWN

SMALL = dict(num_train=24, num_test=12, size=(20, 26))


def test_same_seed_same_bits_and_other_seed_other_scenes():
    first, again, other = (load("scenes", seed=seed, **SMALL) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.x, again.x)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.x, other.x)
    assert describe("scenes", size=(20, 26))[:3] == ("classes", (20, 26, 3), 4)
    assert class_names("scenes") == CLASSES


def test_strange_shape_is_in_test_scenes_alone():
    for split in ("train", "validation"):
        x, y = load("scenes", split, validation=8, **SMALL)
        assert x.shape == (16 if split == "train" else 8, 20, 26, 3)
        assert set(np.unique(y)) <= set(range(4)) and y.dtype == np.int32
    _, y = load("scenes", "test", **SMALL)
    assert (y == UNKNOWN).any(axis=(1, 2)).sum() == 6  # Half of them.


def test_labels_are_drawn_from_the_law_that_is_told():
    scenes = draw_scenes(300, 0, (24, 24), strange=0.5)
    np.testing.assert_allclose(scenes.probabilities.sum(axis=-1), 1.0, atol=1e-5)
    labels = np.where(scenes.y == UNKNOWN, len(CLASSES), scenes.y)
    for share in (0.25, 0.75):  # Pixels whose class 0 has about this probability.
        near = np.abs(scenes.probabilities[..., 0] - share) < 0.05
        expected = scenes.probabilities[..., 0][near].mean()
        assert abs((labels[near] == 0).mean() - expected) < 4 * np.sqrt(
            0.25 / near.sum())
    sure = scenes.probabilities.max(axis=-1) > 0.999999
    np.testing.assert_array_equal(
        labels[sure], scenes.probabilities[sure].argmax(axis=-1))


def test_uncertainty_is_at_borders_and_grows_with_label_noise():
    plain = draw_scenes(20, 3, (32, 40), strange=0.5)
    noisy = draw_scenes(20, 3, (32, 40), strange=0.5, label_noise=0.2)
    np.testing.assert_array_equal(plain.x, noisy.x)  # Labels alone change.
    assert plain.entropy[~plain.border].max() < 0.11
    assert plain.entropy[plain.border].mean() > 0.3
    inside = ~plain.border & ~plain.unknown
    kept, other = 0.85, 0.05
    expected = -kept * np.log(kept) - 3 * other * np.log(other)
    np.testing.assert_allclose(np.median(noisy.entropy[inside]), expected, rtol=1e-4)
    np.testing.assert_array_equal(noisy.unknown, plain.unknown)
    np.testing.assert_array_equal(noisy.border & inside, False)


@pytest.mark.parametrize("wrong, word", [
    ({"count": 0}, "count=0"), ({"size": (4, 20)}, "size="), ({"blur": 0}, "blur=0"),
    ({"label_noise": 1.0}, "label_noise=1.0"), ({"strange": 2}, "strange=2")])
def test_wrong_arguments_are_named(wrong, word):
    with pytest.raises(ValueError, match=f"Received: .*{word}"):
        draw_scenes(**{"count": 2, **wrong})
