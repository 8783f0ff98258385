"""MAP: the ridge solution, and Keras' own training as its oracle."""

import keras
import numpy as np

from bdlzoo.likelihoods import Gaussian
from bdlzoo.methods import Deterministic
from bdlzoo.networks import MLP

RNG = np.random.default_rng(0)
X = RNG.normal(size=(64, 3)).astype("float32")
Y = (X @ np.array([[1.0], [-2.0], [0.5]]) + 0.1 * RNG.normal(size=(64, 1))).astype(
    "float32")


def test_linear_model_reaches_the_ridge_solution():
    """Prior N(0, s0**2), noise s**2: (X'X + s**2 / s0**2)^-1 X'y."""
    network = keras.Sequential([keras.Input((3,)),
                                keras.layers.Dense(1, use_bias=False)])
    model = Deterministic(network, Gaussian(noise_scale=2.0), prior_scale=0.3)
    model.compile(keras.optimizers.Adam(0.05))
    model.fit(X, Y, batch_size=64, epochs=400, verbose=0)
    ridge = np.linalg.solve(X.T @ X + 4.0 / 0.09 * np.eye(3), X.T @ Y)
    np.testing.assert_allclose(network.get_weights()[0], ridge, atol=2e-3)


def test_training_equals_that_of_keras():
    """No prior, categorical: cross entropy as Keras has it, step by step."""
    labels = (Y[:, 0] > 0).astype("int32")
    ours = MLP((3,), (8,), 2)
    theirs = keras.models.clone_model(ours)
    theirs.set_weights(ours.get_weights())
    model = Deterministic(ours)
    model.compile(keras.optimizers.SGD(0.1))
    model.fit(X, labels, batch_size=16, epochs=2, shuffle=False, verbose=0)
    theirs.compile(keras.optimizers.SGD(0.1), keras.losses.
                   SparseCategoricalCrossentropy(from_logits=True))
    theirs.fit(X, labels, batch_size=16, epochs=2, shuffle=False, verbose=0)
    for a, b in zip(ours.get_weights(), theirs.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


def test_all_draws_are_the_network_with_dropout_off():
    network = MLP((3,), (8,), 2, dropout=0.5)
    model = Deterministic(network)
    draws = model.sample_outputs(X, 3).numpy()
    for draw in draws:
        np.testing.assert_allclose(draw, network(X, training=False), atol=1e-6)
    np.testing.assert_allclose(
        model.predict_uncertainty(X, 3).mutual_information, 0.0, atol=1e-6)


def test_draws_are_all_the_same():
    model = Deterministic(MLP((3,), (8,), 2))
    draws = np.asarray(model.sample_outputs(X, 3))
    assert draws.shape == (3, 64, 2)
    np.testing.assert_array_equal(draws[0], draws[2])
