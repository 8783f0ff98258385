"""Draws of a learnt law beside restarts of PGD, on a network that is known."""

import keras
import numpy as np
import pytest

from tools.reproduce import adversarial_samples

RNG = np.random.default_rng(0)
X = np.stack([np.full((4, 4, 1), level, "float32") for level in (0.3, 0.7)])
Y = np.array([0, 1])


def _network():
    """Class 1 where an image is light on average."""
    dense = keras.layers.Dense(2)
    network = keras.Sequential([keras.Input((4, 4, 1)), keras.layers.Flatten(), dense])
    dense.set_weights([np.repeat([[-1.0, 1.0]], 16, axis=0), np.array([8.0, -8.0])])
    return network


@pytest.mark.parametrize("draw, options", [
    (adversarial_samples.learnt, {"step_size": 0.3, "entropy_weight": 1e-4}),
    (adversarial_samples.restarted, {})])
def test_draws_are_in_the_ball_and_fool_the_network(draw, options):
    network = _network()
    draws = draw(network, X, Y, 0.3, 5, **options)
    assert draws.shape == (5, 2, 4, 4, 1)
    assert np.abs(draws - X).max() <= 0.3 + 1e-6
    assert draws.min() >= 0 and draws.max() <= 1
    assert adversarial_samples.errors(network, draws, Y).all()


def test_scores_are_those_of_the_draws(monkeypatch):
    draws = np.stack([X, X + 0.15, X + 0.25, X - 0.25])  # [4, 2, ...]
    monkeypatch.setattr(adversarial_samples, "trained", lambda *args: _network())
    monkeypatch.setattr(adversarial_samples, "right_images", lambda *args: (X, Y))
    monkeypatch.setattr(adversarial_samples, "restarted", lambda *args: draws)
    found = adversarial_samples.run(kind="restarts", epsilon=0.3)
    # Each image crosses the middle by one of four draws.
    assert found["adversarial"] == found["least_adversarial"] == 0.25
    np.testing.assert_allclose(found["radius"], 0.25 / 0.3, rtol=1e-5)
    np.testing.assert_allclose(  # Of 16 pixels: 4 times what one moves.
        found["distance"], 4 * np.mean([0.15, 0.25, 0.25, 0.1, 0.4, 0.5]), rtol=1e-5)


@pytest.mark.slow
def test_both_kinds_give_all_scores():
    small = dict(name="digits", num_train=400, epochs=5, num_images=3, count=4)
    for kind in adversarial_samples.KINDS:
        found = adversarial_samples.run(kind=kind, **small)
        assert set(found) == {"adversarial", "least_adversarial", "distance", "radius"}
        assert found["radius"] <= 1 + 1e-5 and found["distance"] > 0
    panels = adversarial_samples.panels(count=4, name="digits", num_train=400)
    assert panels["draws"]["learnt"].shape == (4, 8, 8, 1)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind='pgd'"):
        adversarial_samples.run(kind="pgd")
