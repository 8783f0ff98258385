"""Bundled sets: their ranges, their laws, the same bits for the same seed."""

import numpy as np
import pytest

from bdlzoo.data import describe, load
from bdlzoo.data.bundled import NAMES

SPLITS = ("train", "validation", "test")
REAL = ("diabetes", "sine")


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_bits_and_other_seed_other_rows(name):
    for split in SPLITS:
        first, again = (load(name, split, seed=1) for _ in range(2))
        np.testing.assert_array_equal(first.x, again.x)
        np.testing.assert_array_equal(first.y, again.y)
        assert not np.array_equal(first.x, load(name, split, seed=2).x)


@pytest.mark.parametrize("name", NAMES)
def test_arrays_match_their_description(name):
    description = describe(name)
    for split in SPLITS:
        x, y = load(name, split)
        assert x.dtype == np.float32 and x.shape[1:] == description.input_shape
        assert np.isfinite(x).all() and y.shape == x.shape[:1]
        if name in REAL:
            assert description.kind == "real" and y.dtype == np.float32
        else:
            assert y.dtype == np.int32
            assert set(y) == set(range(description.num_classes))
            assert description.kind == (
                "binary" if description.num_classes == 2 else "classes")


def test_digits_are_all_there_once():
    from sklearn.datasets import load_digits
    x = np.concatenate([load("digits", split).x for split in SPLITS])
    assert x.shape == (1797, 8, 8, 1)
    np.testing.assert_array_equal(
        np.sort(x.reshape(1797, 64), axis=0),
        np.sort(load_digits().data.astype("float32") / 16, axis=0))


@pytest.mark.parametrize("name", ["breast_cancer", "diabetes"])
def test_inputs_have_training_mean_0_and_std_1(name):
    train, test = load(name).x, load(name, "test").x
    np.testing.assert_allclose(train.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(train.std(axis=0), 1, atol=1e-5)
    assert abs(test.mean(axis=0)).max() > 0.01
    assert abs(load(name, "validation").x.mean(axis=0)).max() > 0.01


def test_diabetes_targets_return_to_their_scale():
    mean, std = describe("diabetes").target_scale
    scaled = load("diabetes", "test").y
    raw = load("diabetes", "test", standardise_targets=False).y
    np.testing.assert_allclose(scaled * std + mean, raw, rtol=1e-5)
    np.testing.assert_allclose(load("diabetes").y.mean(), 0, atol=1e-6)
    assert describe("diabetes", standardise_targets=False).target_scale is None


def test_scale_is_that_of_the_split_it_describes():
    assert (describe("diabetes", validation=0).target_scale
            != describe("diabetes", validation=0.5).target_scale)


def test_noiseless_moons_lie_on_two_half_circles():
    x, y = load("moons", validation=0, num_train=100, noise=0.0)
    assert np.bincount(y).tolist() == [50, 50]
    centre = np.where(y[:, None] == 0, [0.0, 0.0], [1.0, 0.5])
    np.testing.assert_allclose(np.linalg.norm(x - centre, axis=1), 1, rtol=1e-5)
    assert (np.where(y == 0, 1, -1) * (x - centre)[:, 1] >= 0).all()


def test_moons_noise_has_its_standard_deviation():
    clean, noisy = (load("moons", "test", noise=noise, num_test=4000).x
                    for noise in (0.0, 0.3))
    assert abs((noisy - clean).std() - 0.3) < 0.01


def test_sine_has_a_gap_and_noise_that_grows():
    x, y = load("sine", "test", num_test=20000)
    x = x[:, 0]
    assert abs(x).min() >= 1 and abs(x).max() <= 4
    residual = (y - np.sin(1.5 * x)) / (0.05 + 0.3 * (x + 4) / 8)
    for side in (x < -2.5, abs(x + 1.75) < 0.75, x > 2.5):
        assert abs(residual[side].std() - 1) < 0.04
    assert abs(residual.mean()) < 0.03


def test_binary_toy_follows_its_sigmoid():
    x, y = load("binary_toy", "test", num_test=20000)
    near = abs(x[:, 0] - 0.3) < 0.1
    assert abs(y[near].mean() - 1 / (1 + np.exp(-0.9))) < 0.06
    assert abs(y.mean() - 0.5) < 0.02


@pytest.mark.parametrize("name", ["moons", "sine", "binary_toy"])
def test_toy_sizes_are_their_own(name):
    first = load(name, validation=8, num_train=40, num_test=10)
    other = load(name, validation=8, num_train=40, num_test=20)
    np.testing.assert_array_equal(first.x, other.x)
    assert len(first.x) == 32
    assert len(load(name, "test", num_train=40, num_test=10).x) == 10
    test = load(name, "test", num_train=40, num_test=40).x
    assert not np.isin(test, load(name, validation=0, num_train=40).x).any()


@pytest.mark.parametrize("options", [{"num_train": 0}, {"num_test": 2.5},
                                     {"noise": -1}])
def test_impossible_toy_options_are_named(options):
    with pytest.raises(ValueError, match=f"Received: {next(iter(options))}="):
        load("moons", **options)
