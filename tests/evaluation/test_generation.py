"""Scores of generators that are known to be good, or bad, in one way."""

import keras
import numpy as np
import pytest

from bdlzoo.evaluation.generation import generation_scores
from bdlzoo.methods import Deterministic

CLASSES, LATENT = 3, 2
RNG = np.random.default_rng(0)


class _Model:
    """Rows `[one-hot class, style]`, which say what they were made of.

    Args:
        deaf: Share of rows whose class is the next one.
        still: Bool, whether all styles are the same.
    """

    num_classes = CLASSES

    def __init__(self, deaf=0.0, still=False):
        self.deaf, self.still = deaf, still

    def drawn_styles(self, num_samples, seed=None):
        return np.random.default_rng(seed).uniform(size=(num_samples, LATENT))

    def _made(self, labels, styles):
        wrong = np.arange(len(labels)) < self.deaf * len(labels)
        labels = (np.asarray(labels) + wrong) % CLASSES
        styles = 0.5 + 0.0 * styles if self.still else styles
        return np.concatenate([np.eye(CLASSES)[labels], styles], 1).astype("float32")

    def generate(self, num_samples, labels, seed):
        return self._made(labels, self.drawn_styles(num_samples, seed))

    def style(self, x):
        return x[:, CLASSES:]

    def transfer(self, x, labels):
        return self._made(labels, self.style(x))

    def predict(self, x, **options):
        return x[:, :CLASSES]


def _judge():
    network = keras.Sequential([keras.Input((CLASSES + LATENT,)), keras.layers.Dense(
        4, name="features"), keras.layers.Dense(CLASSES, use_bias=False)])
    model = Deterministic(network, seed=0)
    model.build((None, CLASSES + LATENT))
    eye = np.eye(CLASSES + LATENT, 4)
    network.layers[0].set_weights([eye, np.zeros(4)])
    network.layers[1].set_weights([np.eye(4, CLASSES)])
    return model


Y = np.arange(300) % CLASSES
X = _Model().generate(300, Y, 5)


def _scores(model, x=X, y=Y):
    return generation_scores(model, _judge(), x, y, num_samples=300, seed=1)


def test_perfect_generator_has_perfect_scores():
    found = _scores(_Model())
    for name in ("controllability", "transfer", "agreement", "correlation"):
        np.testing.assert_allclose(found[name], 1.0, rtol=1e-5)
    np.testing.assert_allclose(found["style_error"], 0.0, atol=1e-9)
    np.testing.assert_allclose(found["diversity"], 1.0, atol=0.1)
    assert found["frechet"] < 0.05 and abs(found["leak"] - 1 / CLASSES) < 0.15


def test_generator_that_does_not_listen_is_seen():
    found = _scores(_Model(deaf=0.5))
    np.testing.assert_allclose(
        [found[name] for name in ("controllability", "transfer", "agreement")], 0.5)
    np.testing.assert_allclose(found["correlation"], 1.0, rtol=1e-5)


def test_generator_of_one_style_is_seen():
    found = _scores(_Model(still=True))
    assert found["diversity"] == found["correlation"] == 0.0
    np.testing.assert_allclose(found["style_error"], 1 / 12, atol=0.01)
    assert found["controllability"] == 1.0 and found["frechet"] > 0.05


def test_style_that_holds_the_class_is_seen():
    class Leaking(_Model):
        """Its style is the class."""

        def style(self, x):
            return np.stack([x[:, 0], x[:, 1]], axis=1)

    assert _scores(Leaking())["leak"] > 0.95


def test_transfer_asks_for_another_class():
    class Lazy(_Model):
        """Leaves inputs as they are."""

        def transfer(self, x, labels):
            return x

    found = _scores(Lazy())
    assert found["transfer"] == 0.0 and found["controllability"] == 1.0


def test_too_few_inputs_are_refused():
    with pytest.raises(ValueError, match="several classes"):
        _scores(_Model(), X[:4], Y[:4])
    with pytest.raises(ValueError, match="several classes"):
        _scores(_Model(), X[Y == 1], Y[Y == 1])
