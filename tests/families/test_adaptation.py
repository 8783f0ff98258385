"""A trained network, adapted: the same function, with a posterior around it."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families import adaptation, decay
from bdlzoo.layers import BatchNormalizationExemplar, Mixture
from bdlzoo.surgery import conversion
from tests.families.adapted_cases import X, trained


def _adapted(posterior="mean_field", select=None, batch_norm=False, network=None):
    twin = adaptation.adapt(network or trained(), posterior, select, "exemplar",
                            batch_norm, 3)
    conversion.adopt(twin)
    return twin


@pytest.mark.parametrize("posterior, batch_norm", [
    ("mean_field", False), ("mean_field", True), ("mixture_of_deltas", False),
    ("mixture_of_gaussians", False)])
def test_with_tiny_scales_it_is_the_trained_network(posterior, batch_norm):
    network, twin = trained(), _adapted(posterior, batch_norm=batch_norm)
    adaptation.start_log_scales(twin, -20.0, -20.0, 0)
    before, expected = network.get_weights(), network(X)
    np.testing.assert_allclose(twin(X), expected, atol=1e-5)
    for coherent in (False, True):
        with noise.draws(noise.key(1), coherent):
            # In training too: dropout is off, and BatchNorm does not move.
            np.testing.assert_allclose(twin(X, training=True), expected, atol=1e-5)
    for old, new in zip(before, network.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)
    norm = twin.get_layer("norm")
    np.testing.assert_array_equal(norm.moving_mean,
                                  network.get_layer("norm").moving_mean)


def test_two_copies_of_an_image_differ_in_training_and_not_when_frozen():
    twin = _adapted()
    adaptation.start_log_scales(twin, -3.0, -2.0, 0)
    pair = np.repeat(X[:1], 2, axis=0)
    with noise.draws(noise.key(0)):
        first, second = twin(pair, training=True)
    assert np.abs(first - second).max() > 1e-3
    first, second = twin(pair, training=True)
    np.testing.assert_allclose(first, second, atol=1e-6)


def test_what_is_kept_is_still():
    twin = _adapted("mixture_of_deltas")
    assert [layer.rate for layer in twin.layers if hasattr(layer, "rate")] == [0.0]
    assert not twin.get_layer("norm").trainable and not twin.losses
    again = keras.Sequential.from_config(twin.get_config())
    assert not again.losses and not again.get_layer("norm").trainable
    kinds = {layer.name: type(layer) for layer in twin.layers}
    assert kinds["hidden"] is kinds["last"] is Mixture
    assert kinds["conv"] is keras.layers.Conv2D
    norm = _adapted(batch_norm=True).get_layer("norm")
    assert type(norm) is BatchNormalizationExemplar and norm.variational_bias
    assert len(norm.trainable_variables) == 4
    assert adaptation.is_adapted(twin) and not adaptation.is_adapted(trained())


@pytest.mark.parametrize("recurrent", [
    lambda: keras.layers.LSTM(3, dropout=0.5, kernel_regularizer="l2"),
    lambda: keras.layers.RNN(keras.layers.LSTMCell(
        3, recurrent_dropout=0.5, kernel_regularizer="l2")),
    lambda: keras.layers.RNN([keras.layers.LSTMCell(3, kernel_regularizer="l2"),
                              keras.layers.GRUCell(3, dropout=0.5)])])
def test_noise_and_regularisers_of_recurrent_cells_are_taken_out(recurrent):
    network = keras.Sequential([
        keras.Input((4, 2)), recurrent(), keras.layers.Dense(2)])
    x = np.random.default_rng(0).normal(size=(3, 4, 2)).astype("float32")
    # Layers that stay points: only the last one is adapted.
    twin = _adapted(select=1, network=network)
    adaptation.start_log_scales(twin, -20.0, -20.0, 0)
    with noise.draws(noise.key(1)):
        np.testing.assert_allclose(twin(x, training=True), network(x), atol=1e-5)
    assert len(network.losses) == 1 and not twin.losses


def test_select_says_which_layers():
    twin = _adapted(select="last")
    assert [layer.name for layer in conversion.stochastic_layers(twin)] == ["last"]
    twin = _adapted("mixture_of_deltas", select=3)
    assert isinstance(twin.get_layer("conv"), Mixture)
    for posterior in ("mean_field", "mixture_of_deltas"):
        with pytest.raises(ValueError, match="layer norm of type BatchNormalization"):
            _adapted(posterior, select="norm")
        with pytest.raises(ValueError, match="at least one layer"):
            _adapted(posterior, select=lambda layer: False)


def test_log_scales_start_between_two_numbers():
    twin = _adapted("mixture_of_gaussians")
    adaptation.start_log_scales(twin, -6.0, -5.0, 3)
    scales = [w.log_scale for w in decay.weights(twin) if w.log_scale is not None]
    values = np.concatenate([np.ravel(scale) for scale in scales])
    assert -6.0 <= values.min() < -5.9 and -5.1 < values.max() <= -5.0
    assert len(scales) == 4 and len(np.unique(values)) > 0.9 * len(values)


def test_a_network_without_trained_weights_is_refused():
    adaptation.check_trained(trained())
    with pytest.raises(ValueError, match="which has no weights"):
        adaptation.check_trained(keras.Sequential([keras.layers.Dense(2)]), True)
    fresh = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4),
                              keras.layers.BatchNormalization()], name="young")
    with pytest.raises(ValueError, match="--config.pretrained.*young, whose biases"):
        adaptation.check_trained(fresh)
    adaptation.check_trained(fresh, allow_untrained=True)
    fresh.layers[1].moving_mean.assign([0.0, 0.0, 0.1, 0.0])
    adaptation.check_trained(fresh)


def test_scales_of_another_kind_are_refused():
    from bdlzoo.layers import DenseFlipout
    network = keras.Sequential([keras.Input((3,)), DenseFlipout(
        2, scale_transform="softplus", name="soft")])
    with pytest.raises(ValueError, match="layer soft with scale_transform='softplus'"):
        adaptation.check_scales(network)
    assert tf.is_tensor(network(tf.ones([1, 3])))
