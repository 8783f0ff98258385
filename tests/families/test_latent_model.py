"""What all density models with a code check and share."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import bdlzoo
from bdlzoo.families.latent_model import LatentModel
from bdlzoo.methods import VAE


def _networks(code, outputs=4):
    return bdlzoo.networks.MLP((4,), (), 6), bdlzoo.networks.MLP((code,), (), outputs)


def test_decoder_of_another_input_is_refused():
    with pytest.raises(ValueError, match=r"rows of 3 numbers.*\(None, 2\)"):
        VAE(*_networks(2)).build((None, 4))


def test_decoder_that_is_not_built_gets_the_shape_of_a_code():
    encoder, _ = _networks(3)
    model = VAE(encoder, keras.Sequential([keras.layers.Dense(4)]))
    model.build((None, 4))
    assert model.decoder.input_shape == (None, 3)


def test_bound_is_the_sum_of_its_terms_and_rows_share_their_noise():
    model = VAE(*_networks(3), seed=0)
    model.compile()
    rows = np.random.default_rng(0).uniform(size=(300, 4)).astype("float32")
    whole = model.evaluate(rows, verbose=0, return_dict=True, batch_size=300)
    parts = model.evaluate(rows, verbose=0, return_dict=True, batch_size=30)
    for name in ("loss", "nll", "kl"):
        np.testing.assert_allclose(whole[name], parts[name], rtol=1e-5)
    np.testing.assert_allclose(whole["nll"] + whole["kl"], whole["loss"], rtol=1e-5)


def test_bound_is_that_of_rows_and_above_the_likelihood():
    model = VAE(*_networks(3), seed=0, num_samples=7)
    model.compile()
    rows = np.random.default_rng(0).uniform(size=(300, 4)).astype("float32")
    bound = model.bound(rows)
    assert bound.shape == (300,)
    np.testing.assert_allclose(bound.mean(), model.evaluate(
        rows, verbose=0, return_dict=True)["loss"], rtol=1e-5)
    np.testing.assert_array_equal(model.bound(rows, 7), bound)
    assert np.any(model.bound(rows, 7, seed=1) != bound)
    assert np.mean(model.bound(rows, 500)) > -np.mean(model.log_likelihood(rows, 500))
    with pytest.raises(ValueError, match="num_samples=0"):
        model.bound(rows, 0)


def test_served_codes_are_decoded():
    model = VAE(*_networks(3), seed=0)
    model.build((None, 4))
    function, [spec] = model.endpoints()["decode"]
    assert (spec.name, spec.shape, spec.dtype) == ("code", [None, 3], tf.float32)
    code = tf.constant(np.random.default_rng(0).normal(size=(5, 3)), tf.float32)
    np.testing.assert_array_equal(function(code)["samples"], model.decode(code))
    with pytest.raises(tf.errors.InvalidArgumentError, match="finite"):
        function(code * np.nan)


def test_config_makes_the_same_model():
    model = VAE(*_networks(3), num_samples=5, num_train_samples=2, seed=0)
    again = VAE.from_config(model.get_config())
    assert isinstance(again, LatentModel)
    assert again.get_config() == model.get_config()
