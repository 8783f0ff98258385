"""Tests of the distance from the nearest class."""

import keras
import numpy as np
import pytest
from scipy.spatial import distance

from bdlzoo.evaluation.mahalanobis import Mahalanobis
from bdlzoo.methods import Deterministic
from bdlzoo.networks import MLP, SmallCNN

GENERATOR = np.random.default_rng(0)


def _linear(width, classes=3):
    """The features of a linear model are its inputs."""
    return Deterministic(keras.Sequential(
        [keras.Input((width,)), keras.layers.Dense(classes)]), seed=0)


def _gaussians(count=300, width=4):
    """Rows of three classes with one covariance, and their classes."""
    y = np.arange(count) % 3
    mixing = GENERATOR.normal(size=(width, width))
    means = 3 * GENERATOR.normal(size=(3, width))
    x = means[y] + GENERATOR.normal(size=(count, width)) @ mixing
    return x.astype("float32"), y


def test_score_is_the_distance_of_scipy_from_the_nearest_mean():
    x, y = _gaussians()
    means = np.stack([x[y == c].mean(0, dtype="float64") for c in range(3)])
    centred = x - means[y]
    inverse = np.linalg.inv(centred.T @ centred / len(x))
    rows = 5 * GENERATOR.normal(size=(20, 4)).astype("float32")
    expected = [min(distance.mahalanobis(row, mean, inverse) ** 2 for mean in means)
                for row in rows]
    np.testing.assert_allclose(Mahalanobis(_linear(4), x, y)(rows), expected,
                               rtol=1e-6)


def test_known_gaussians_score_as_many_as_there_are_features():
    """Squared distances from the own mean are chi-squared."""
    x, y = _gaussians(9000)
    y[:] = 0
    x = GENERATOR.normal(size=x.shape).astype("float32")
    scores = Mahalanobis(_linear(4), x, y)(x)
    np.testing.assert_allclose(scores.mean(), 4, rtol=1e-6)
    assert abs(scores.var() - 8) < 1


def test_affine_maps_of_the_features_change_nothing():
    x, y = _gaussians()
    rows = 5 * GENERATOR.normal(size=(20, 4)).astype("float32")
    plain = Mahalanobis(_linear(4), x, y)(rows)
    matrix = GENERATOR.normal(size=(4, 4)) * [1e-6, 1.0, 1e3, 1e6]
    mapped = Mahalanobis(_linear(4), x @ matrix, y)(rows @ matrix)
    np.testing.assert_allclose(mapped, plain, rtol=1e-3)
    shifted = Mahalanobis(_linear(4), x + 7, y)(rows + 7)
    np.testing.assert_allclose(shifted, plain, rtol=1e-4)


def test_dead_and_copied_features_are_left_out():
    x, y = _gaussians()
    rows = 5 * GENERATOR.normal(size=(20, 4)).astype("float32")
    plain = Mahalanobis(_linear(4), x, y)(rows)
    dead = np.full([len(x), 2], 0.3, "float32")
    dead[::2, 0] = np.nextafter(dead[::2, 0], 1)  # Constant but for rounding.
    wide = [np.concatenate([a, b, 2 * a[:, :1]], axis=1)
            for a, b in ((x, dead), (rows, dead[:20] + 0.2))]
    np.testing.assert_allclose(Mahalanobis(_linear(7), wide[0], y)(wide[1]), plain,
                               rtol=1e-4)


def test_features_are_those_that_the_last_layer_reads_without_noise():
    network = MLP((4,), (6,), 3, activation="tanh", dropout=0.5)
    model, (x, y) = Deterministic(network, seed=0), _gaussians()
    hidden = network.layers[1](x).numpy()
    np.testing.assert_allclose(Mahalanobis(model, x, y)(x),
                               Mahalanobis(_linear(6), hidden, y)(hidden),
                               rtol=1e-4, atol=1e-6)


def test_far_images_are_far_and_rows_do_not_know_each_other():
    model = Deterministic(SmallCNN((8, 8, 1), (4,), (16,)), seed=0)
    x = GENERATOR.uniform(size=(200, 8, 8, 1)).astype("float32")
    fitted = Mahalanobis(model, x, np.arange(200) % 10)
    assert np.median(fitted(5 * x)) > 10 * np.median(fitted(x))
    np.testing.assert_allclose(fitted(x)[:3], fitted(x[:3]), rtol=1e-4)


def test_what_cannot_be_fitted_is_refused():
    x, y = _gaussians(6)
    with pytest.raises(ValueError, match="6 inputs, 5 classes"):
        Mahalanobis(_linear(4), x, y[:5])
    with pytest.raises(ValueError, match="4 features that are constant"):
        Mahalanobis(_linear(4), x, np.arange(6))
    with pytest.raises(ValueError, match="NaN"):
        Mahalanobis(_linear(4), x, y)(np.nan * x)
