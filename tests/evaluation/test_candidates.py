"""Candidates are the same network, with the noise of their methods."""

import keras
import numpy as np
import pytest

from bdlzoo import methods
from bdlzoo.evaluation.candidates import candidates
from bdlzoo.surgery import conversion

SPEC = {"type": "MLP", "hidden": (4,)}


def _made(network=SPEC):
    found = candidates(network, "categorical", (3,), 2, seed=1)
    return {name: build() for name, build in found.items()}


def test_each_candidate_has_its_noise():
    models = _made()
    noisy = {name: len(conversion.stochastic_layers(model.blueprint))
             for name, model in models.items()}
    assert noisy == {"deterministic": 0, "mc_dropout": 1, "last_layer": 1,
                     "mean_field_vi": 2, "deep_ensemble": 0}
    assert isinstance(models["deep_ensemble"], methods.DeepEnsemble)
    assert {model.seed for model in models.values()} == {1}


def test_networks_start_from_the_weights_of_the_seed():
    first, again = (_made()["deterministic"].network.get_weights() for _ in range(2))
    np.testing.assert_array_equal(first[0], again[0])


def test_architectures_of_the_user_keep_their_layers():
    given = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    given.set_weights([np.ones((3, 2)), np.ones(2)])
    models = _made(given)
    assert "mc_dropout" not in models  # There is no dropout to keep on.
    assert np.abs(models["deterministic"].network.get_weights()[0] - 1).min() > 1e-3
    np.testing.assert_array_equal(given.get_weights()[0], 1.0)
    with pytest.raises(ValueError, match="with 2 outputs"):
        _made(keras.Sequential([keras.Input((3,)), keras.layers.Dense(5)]))
