"""FGSM must be optimal where it can be: on a linear model."""

import keras
import numpy as np
import pytest

from bdlzoo.attacks.fgsm import FGSM
from bdlzoo.core import registry
from bdlzoo.methods import MCDropout
from bdlzoo.networks import MLP

rng = np.random.default_rng(1)
X = rng.uniform(size=(8, 5)).astype("float32")
Y = rng.integers(2, size=8)


def _linear(classes=2):
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input((5,)), keras.layers.Dense(classes)])


def _loss(model, x, y=Y):
    return keras.losses.sparse_categorical_crossentropy(
        y, model(x), from_logits=True).numpy()


def test_linear_loss_is_the_closed_form():
    """The margin falls by epsilon times the L1 norm of its slope."""
    model = _linear()
    kernel = model.weights[0].numpy()
    sign = np.where(Y == 1, 1.0, -1.0)
    slope = kernel[:, 1] - kernel[:, 0]
    margin = sign * (X @ slope) - 0.3 * np.abs(slope).sum()
    found = FGSM(0.3, low=-1.0, high=2.0)(model, X, Y)
    np.testing.assert_allclose(_loss(model, found), np.log1p(np.exp(-margin)),
                               rtol=1e-5)


@pytest.mark.parametrize("epsilon", [0.01, 0.3])
def test_loss_rises_in_every_row_of_a_linear_model(epsilon):
    model = _linear()
    found = FGSM(epsilon)(model, X, Y)
    assert (_loss(model, found) > _loss(model, X)).all()


def test_target_loss_falls_in_every_row():
    model, target = _linear(), 1 - Y
    found = FGSM(0.1, targeted=True)(model, X, target)
    assert (_loss(model, found, target) < _loss(model, X, target)).all()
    # With two classes, towards the one is away from the other.
    np.testing.assert_array_equal(found, FGSM(0.1)(model, X, Y))


def test_images_of_256_levels_have_their_own_box():
    model = keras.Sequential([keras.Input((5,)), keras.layers.Rescaling(1 / 255),
                              _linear()])
    levels = np.round(255 * X).astype("uint8")
    found = FGSM(8.0, low=0, high=255)(model, levels, Y)
    assert np.abs(found - levels).max() == 8.0
    assert found.numpy().min() >= 0 and found.numpy().max() <= 255


def test_config_finds_it_by_name():
    attack = registry.build({"type": "fgsm", "epsilon": 0.1})
    assert isinstance(attack, FGSM) and attack.epsilon == 0.1


def test_negative_radius_is_refused():
    with pytest.raises(ValueError, match="Received: epsilon=-1"):
        FGSM(-1)


def test_model_of_the_zoo_is_attacked_through_its_draws():
    """The gain is what the model itself calls the log of its mean predictive."""
    x = np.random.default_rng(0).uniform(size=(32, 6)).astype("float32")
    y = (x[:, 0] > 0.5).astype("int32")
    model = MCDropout(MLP((6,), (16,), 2, dropout=0.2), seed=0)
    model.compile(keras.optimizers.Adam(0.05))
    model.fit(x, y, epochs=40, verbose=0)
    attacked = FGSM(0.3, num_samples=16)(model, x, y, seed=1)
    before = model.predict_uncertainty(x).log_prob(y).numpy()
    after = model.predict_uncertainty(attacked).log_prob(y).numpy()
    assert after.mean() < before.mean() - 0.5
