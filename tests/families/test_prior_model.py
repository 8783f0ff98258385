"""A prior on the weights is their energy, beside what layers bring."""

import keras
import numpy as np

from bdlzoo import layers
from bdlzoo.methods import Deterministic


def _model(layer, **kwargs):
    model = Deterministic(keras.Sequential([keras.Input((3,)), layer,
                                            keras.layers.Dense(2)]), **kwargs)
    model.build((None, 3))
    return model


def test_energy_is_that_of_all_weights():
    model = _model(keras.layers.Dense(4), prior_scale=0.5)
    squares = sum((w.numpy() ** 2).sum() for w in model.network.trainable_variables)
    np.testing.assert_allclose(model.kl(), squares / (2 * 0.5**2), rtol=1e-5)


def test_divergences_of_layers_are_added():
    model = _model(layers.DenseFlipout(4))
    alone = float(model.kl())
    model.prior_scale = 0.5
    squares = sum((w.numpy() ** 2).sum() for w in model.network.trainable_variables)
    np.testing.assert_allclose(model.kl(), alone + squares / 0.5, rtol=1e-5)


def test_without_a_prior_there_is_none():
    assert _model(keras.layers.Dense(4)).kl() is None
    assert _model(keras.layers.Dense(4)).get_config()["prior_scale"] is None
