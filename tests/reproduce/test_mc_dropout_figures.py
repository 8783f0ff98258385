"""Tests of the experiments behind the figures of MC dropout."""

import numpy as np
import pytest

from bdlzoo import data
from tools.reproduce import mc_dropout_figures as experiments


@pytest.fixture(scope="module")
def digits():
    """A few training rows, a few test rows."""
    return [data.Split(*(part[:128] for part in data.load("digits", split)))
            for split in ("train", "test")]


@pytest.fixture(scope="module")
def model(digits):
    return experiments.train_digits(digits[0], epochs=5)


def test_digits_turn_counter_clockwise():
    image = np.random.default_rng(0).uniform(size=(7, 7, 1))
    turned = experiments.rotated(image, [0.0, 90.0, 180.0])
    for quarter, result in enumerate(turned):
        np.testing.assert_allclose(result, np.rot90(image, quarter), atol=1e-6)


def test_decay_is_the_gradient_of_the_prior(digits, model):
    """1e-6 w on each weight, half of it behind dropout of one half."""
    train, _ = digits
    *others, kernel, bias = model.network.trainable_variables
    squares = sum(np.sum(np.square(w)) for w in (*others, bias))
    expected = 1e-6 / 2 * (squares + 0.5 * np.sum(np.square(kernel)))
    assert float(model.kl()) / len(train.x) == pytest.approx(expected, rel=1e-4)


def test_only_the_last_layer_sees_dropout(model):
    network = model.network
    kinds = [type(layer).__name__ for layer in network.layers]
    assert kinds.count("Dropout") == 1
    assert kinds[-2:] == ["Dropout", "Dense"] and network.layers[-2].rate == 0.5


def test_rotating_digit_starts_upright_and_shows_the_classes_it_becomes(digits, model):
    _, test = digits
    result = experiments.rotating_digit(model, test, num_samples=8)
    assert result["draws"].shape == (8, 12, 10)
    np.testing.assert_array_equal(result["images"][0],
                                  test.x[np.flatnonzero(test.y == 1)[0]])
    softmax = np.exp(result["draws"])
    softmax /= softmax.sum(-1, keepdims=True)
    best = softmax.mean(0).max(0)
    assert sorted(np.argsort(best)[-4:]) == result["classes"]


def test_errors_are_of_one_pass_and_of_the_draws(digits, monkeypatch):
    train, test = digits
    models = []

    def keep(*args, **kwargs):
        models.append(train_digits(*args, **kwargs))
        return models[-1]

    train_digits = experiments.train_digits
    monkeypatch.setattr(experiments, "train_digits", keep)
    result = experiments.dropout_error(train, test, epochs=2, num_seeds=1,
                                       num_samples=5)
    single, averaged = result["errors"].values()
    assert single.shape == averaged.shape == (1, 2)
    [model] = models
    one = np.argmax(model.network(test.x, training=False), axis=-1)
    many = model.predict_uncertainty(test.x, 5).label
    assert single[0, -1] == np.mean(one != test.y)
    assert averaged[0, -1] == np.mean(many != test.y)
    # Else the two could be swapped unseen.
    assert single[0, -1] != averaged[0, -1]


@pytest.mark.slow
def test_model_uncertainty_grows_in_the_gap_and_outside_of_the_data():
    result = experiments.heteroscedastic_toy()
    x, epistemic = result["x"][:, 0], result["prediction"].epistemic[:, 0]
    inside = epistemic[(np.abs(x) > 1.5) & (np.abs(x) < 3.5)].mean()
    assert epistemic[np.abs(x) < 0.5].mean() > 2 * inside
    assert epistemic[np.abs(x) > 5.5].mean() > 2 * inside
