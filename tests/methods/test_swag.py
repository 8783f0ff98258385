"""SWAG: running moments in closed form, and the covariance of its draws."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.likelihoods import Gaussian
from bdlzoo.methods import SWAG

RNG = np.random.default_rng(0)
X = RNG.normal(size=(32, 3)).astype("float32")
Y = (X @ [[1.0], [-2.0], [0.5]] + 0.4 * RNG.normal(size=(32, 1))).astype("float32")
START = np.array([0.5, 0.5, 0.5])


def _network():
    network = keras.Sequential([keras.Input((3,)),
                                keras.layers.Dense(1, use_bias=False)])
    network.set_weights([START[:, None]])
    return network


def _fitted(steps=20, rate=0.3, **options):
    model = SWAG(_network(), Gaussian(1.0), seed=0, **options)
    model.compile(keras.optimizers.SGD(rate))
    model.fit(X, Y, batch_size=32, epochs=steps, verbose=0)
    return model


def _path(steps=20, rate=0.3):
    """Weights after each step of gradient descent on half the mean squared error."""
    w, path = START[:, None].copy(), []
    for _ in range(steps):
        w = w - rate * X.T.astype("float64") @ (X @ w - Y) / 32
        path.append(w[:, 0])
    return np.array(path)


def test_moments_are_those_of_the_path():
    model = _fitted(burn_in=3, thinning=2, rank=4)
    collected = _path()[4::2]  # After steps 5, 7, ..., 19.
    assert int(model.num_collected) == len(collected) == 8
    np.testing.assert_allclose(model.mean, collected.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(model.variance, collected.var(axis=0), rtol=1e-3)
    means = np.cumsum(collected, axis=0) / np.arange(1, 9)[:, None]
    np.testing.assert_allclose(model.deviations, (collected - means)[4:], atol=1e-6)
    network = model.averaged()
    np.testing.assert_allclose(network.get_weights()[0][:, 0], model.mean)


def test_draws_have_the_covariance_of_the_formula(monkeypatch):
    model = _fitted(burn_in=3, thinning=2, rank=4)
    deviations = model.deviations.numpy()
    expected = np.diag(model.variance) / 2 + deviations.T @ deviations / (2 * 3)
    eye, roots = np.eye(3, dtype="float32"), []
    for place in range(7):  # Standard normals along each of the 4 + 3 axes.
        def unit(shape, key, place=place):
            return np.eye(7, dtype="float32")[place][
                slice(0, 4) if shape == [4] else slice(4, 7)]
        monkeypatch.setattr(noise, "normal", unit)
        [outputs] = model.draw(eye, 1, noise.key(0, noise.PREDICT))
        roots.append(np.ravel(outputs) - model.mean)
    np.testing.assert_allclose(np.transpose(roots) @ roots, expected, rtol=1e-4,
                               atol=1e-8)


@pytest.mark.slow
def test_few_columns_have_their_own_number():
    model = _fitted(steps=7, burn_in=3, thinning=2, rank=4)
    deviations = model.deviations.numpy()
    assert np.any(deviations[1]) and not np.any(deviations[2:])
    draws = np.asarray(model.sample_outputs(np.eye(3, dtype="float32"), 4000, seed=1))
    expected = model.variance / 2 + (deviations**2).sum(axis=0) / 2
    np.testing.assert_allclose(draws[..., 0].var(axis=0), expected, rtol=0.1)


def test_without_scale_it_is_the_averaged_network():
    model = _fitted(burn_in=3, scale=0.0)
    np.testing.assert_allclose(model.predict(X, verbose=0), model.averaged()(X),
                               atol=1e-6)
    draws = model.sample_outputs(X, 2)
    np.testing.assert_array_equal(draws[0], draws[1])


def test_what_cannot_be_drawn_is_refused():
    network = keras.Sequential([
        keras.Input((3,)), keras.layers.Dense(4), keras.layers.BatchNormalization(),
        keras.layers.Dense(1)])
    with pytest.raises(ValueError, match="statistics of the data"):
        SWAG(network, "gaussian").build((None, 3))
    network.layers[1].trainable = False
    SWAG(network, "gaussian").build((None, 3))
    with pytest.raises(ValueError, match="burn_in=50.*and 20 steps"):
        _fitted(burn_in=50).predict_uncertainty(X)
    for options, words in (({"rank": 1}, "rank=1"), ({"scale": -1.0}, "scale=-1.0"),
                           ({"thinning": 0}, "thinning=0")):
        with pytest.raises(ValueError, match=words):
            SWAG(_network(), "gaussian", **options)
