"""The loss along two directions is that of a linear model, in closed form."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.evaluation.loss_surface import loss_surface

rng = np.random.default_rng(9)
X = rng.uniform(0.3, 0.7, size=(6, 5)).astype("float32")
Y = np.array([0, 1, 1, 0, 1, 0])


@pytest.fixture(scope="module")
def model():
    network = keras.Sequential([keras.Input((5,)), keras.layers.Dense(2)])
    network.layers[0].set_weights([rng.normal(size=(5, 2)), np.zeros(2)])
    return network


def test_linear_model_has_a_closed_form(model):
    """The margin falls by a times its L1 norm, and along random signs."""
    found = loss_surface(model, X, Y, radius=0.2, points=5, seed=3)
    kernel = model.layers[0].get_weights()[0]
    slope = np.where(Y == 1, 1.0, -1.0)[:, None] * (kernel[:, 1] - kernel[:, 0])
    key = noise.fold_in(noise.key(3, noise.ATTACK), 1)
    aside = noise.signs([6, 5], key).numpy()
    assert set(np.unique(aside)) == {-1.0, 1.0}
    ahead = -np.sign(slope)
    for i, a in enumerate((-0.2, -0.1, 0.0, 0.1, 0.2)):
        for j, b in enumerate((-0.2, -0.1, 0.0, 0.1, 0.2)):
            # Some corners leave the box, and are clipped.
            moved = np.clip(X + a * ahead + b * aside, 0.0, 1.0)
            loss = np.log1p(np.exp(-(moved * slope).sum(-1))).mean()
            np.testing.assert_allclose(found.losses[i, j], loss, rtol=1e-4)
    np.testing.assert_allclose(found.places, [-0.2, -0.1, 0.0, 0.1, 0.2], rtol=1e-6)
    assert found.rise == found.losses.max() - found.losses[2, 2] > 0


def test_a_flat_model_has_no_rise(model):
    weights = model.get_weights()
    model.set_weights([1e-6 * w for w in weights])
    assert loss_surface(model, X, Y, radius=0.2, points=3).rise < 1e-5
    model.set_weights(weights)


@pytest.mark.parametrize("wrong", [
    dict(points=4), dict(points=1), dict(radius=0.0), dict(radius=-1.0)])
def test_wrong_grids_are_refused(model, wrong):
    [(name, value)] = wrong.items()
    with pytest.raises(ValueError, match=f"{name}={value}"):
        loss_surface(model, X, Y, **{"radius": 0.1, **wrong})
    with pytest.raises(ValueError, match="Received: x with values"):
        loss_surface(model, X + 1.0, Y, 0.1)
