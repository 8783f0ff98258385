"""The prior of a dropout model, by its scale or by its length-scale."""

import keras
import numpy as np
import pytest

from bdlzoo.layers import DenseFlipout
from bdlzoo.methods import MCDropout
from bdlzoo.networks import MLP


def _model(**kwargs):
    model = MCDropout(MLP((5,), (4,), 3, dropout=0.3, dropout_at="all"), seed=0,
                      **kwargs)
    model.build((None, 5))
    return model


def test_length_scale_is_one_over_the_scale_of_the_prior():
    """Each kernel is behind dropout: (1 - p) l**2 / 2 * ||w||**2, biases whole."""
    model = _model(length_scale=4.0)
    kernels, biases = (sum((w.numpy() ** 2).sum() for w in model.network.weights
                           if len(w.shape) == rank) for rank in (2, 1))
    np.testing.assert_allclose(model.kl(), (0.7 * kernels + biases) * 16 / 2,
                               rtol=1e-5)
    assert model.prior_scale == 0.25


@pytest.mark.parametrize("given", [{"length_scale": 4.0}, {"prior_scale": 0.25},
                                   {}], ids=str)
def test_config_keeps_what_was_given(given, tmp_path):
    model = _model(**given)
    config = model.get_config()
    assert {name: config[name] for name in ("length_scale", "prior_scale")} == {
        "length_scale": None, "prior_scale": None, **given}
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert loaded.prior_scale == model.prior_scale
    assert loaded.length_scale == model.length_scale


@pytest.mark.parametrize("wrong, words", [
    ({"length_scale": 4.0, "prior_scale": 0.25},
     "not both. Received: prior_scale=0.25, length_scale=4.0"),
    ({"length_scale": 0.0}, "positive length-scale. Received: length_scale=0.0"),
    ({"length_scale": float("nan")}, "positive length-scale"),
], ids=["both", "zero", "nan"])
def test_a_prior_that_cannot_be_is_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        _model(**wrong)


def test_variational_layers_draw_as_well_as_dropout(caplog):
    """No warning of equal draws; the prior leaves what has a KL of its own."""
    flipout = DenseFlipout(3)
    network = keras.Sequential([keras.Input((5,)), flipout])
    model = MCDropout(network, length_scale=4.0)
    model.build((None, 5))
    assert "same" not in caplog.text
    np.testing.assert_allclose(model.kl(), flipout.kl(), rtol=1e-6)
    assert model.rates() == {}
