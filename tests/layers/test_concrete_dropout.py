"""Concrete dropout of units: its law, its entropy, its gradients."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.layers import ConcreteDropout
from bdlzoo.surgery import conversion

KEY = noise.key(0, noise.PREDICT)


def _network(features, **kwargs):
    network = keras.Sequential([keras.Input((features,)), ConcreteDropout(**kwargs)])
    conversion.adopt(network)
    return network


def _draw(network, x, coherent=False, key=KEY):
    with noise.draws(key, coherent=coherent):
        return network(x, training=False)


def test_outside_of_a_draw_it_hands_its_inputs_on():
    x = np.arange(8, dtype="float32").reshape(2, 4)
    network = _network(4, rate=0.5)
    for training in (False, True):
        np.testing.assert_array_equal(network(x, training=training), x)


# 2 p (1 - p) tau log(99) of z lie further than 0.01 from both ends.
@pytest.mark.parametrize("rate, tau", [(0.1, 0.01), (0.4, 0.004)])
def test_small_tau_gives_bernoulli_masks_of_the_rate(rate, tau):
    sample = _draw(_network(400, rate=rate, tau=tau), tf.ones((250, 400)))
    dropped = 1.0 - np.asarray(sample) * (1.0 - rate)  # z
    error = np.sqrt(rate * (1.0 - rate) / dropped.size)
    assert (np.minimum(dropped, 1.0 - dropped) < 0.01).mean() > 0.99
    assert abs(dropped.mean() - rate) < 3 * error


def test_relaxed_masks_have_their_closed_form_quantiles():
    """P(1 - z < q) = sigmoid(logit(p) + tau logit(q)), whatever tau."""
    rate, tau = 0.2, 0.5
    sample = _draw(_network(400, rate=rate, tau=tau), tf.ones((250, 400)))
    kept = np.asarray(sample) * (1.0 - rate)
    for level in (0.1, 0.5, 0.9):
        logit = np.log(rate / (1 - rate)) + tau * np.log(level / (1 - level))
        expected = 1.0 / (1.0 + np.exp(-logit))
        assert abs((kept < level).mean() - expected) < 0.005


def test_linear_unit_keeps_its_mean_and_has_the_variance_of_its_masks():
    x = np.random.default_rng(0).normal(size=(1, 5)).astype("float32")
    kernel = np.random.default_rng(1).normal(size=(5, 1)).astype("float32")
    sample = _draw(_network(5, rate=0.3, tau=0.01), np.repeat(x, 40_000, axis=0))
    outputs = (np.asarray(sample) @ kernel)[:, 0]
    variance = 0.3 / 0.7 * np.sum((x[0] * kernel[:, 0])**2)
    assert abs(outputs.mean() - (x @ kernel).item()) < 4 * np.sqrt(variance / 40_000)
    np.testing.assert_allclose(outputs.var(), variance, rtol=0.05)


def test_rows_and_draws_have_masks_of_their_own_unless_coherent():
    network, x = _network(400, rate=0.5), tf.ones((2, 400))
    apart, together = _draw(network, x), _draw(network, x, coherent=True)
    assert abs(np.corrcoef(apart)[0, 1]) < 0.2
    np.testing.assert_array_equal(together[0], together[1])
    other = _draw(network, x, key=noise.key(1, noise.PREDICT))
    assert abs(np.corrcoef(apart[0], other[0])[0, 1]) < 0.2


def test_kl_is_minus_the_entropy_of_all_masks():
    [layer] = _network(7, rate=0.25).layers
    entropy = -(0.25 * np.log(0.25) + 0.75 * np.log(0.75))
    np.testing.assert_allclose(layer.kl(), -7 * entropy, rtol=1e-6)


@pytest.mark.parametrize("rate", [1e-3, 1 - 1e-3])
def test_gradients_are_finite_and_right_at_both_ends(rate):
    """The KL's is n_in * p (1 - p) logit(p)."""
    network = _network(50, rate=rate)
    [layer] = network.layers
    with tf.GradientTape(persistent=True) as tape:
        kl = layer.kl()
        loss = tf.reduce_sum(_draw(network, tf.ones((100, 50)))**2)
    assert np.isfinite(tape.gradient(loss, layer.logit))
    expected = 50 * rate * (1 - rate) * np.log(rate / (1 - rate))
    np.testing.assert_allclose(tape.gradient(kl, layer.logit), expected, rtol=1e-3)


def test_rate_starts_where_it_is_told_and_follows_its_weight():
    [layer] = _network(3).layers
    assert float(layer.rate()) == pytest.approx(0.1)
    layer.logit.assign(0.0)
    assert float(layer.rate()) == 0.5
    assert layer.trainable_variables == [layer.logit]


def test_probabilities_stay_in_single_precision():
    for policy in ("mixed_bfloat16", "bfloat16"):
        network = _network(64, rate=1e-3, dtype=policy)
        [layer] = network.layers
        sample = _draw(network, tf.ones((4, 64)))
        assert sample.dtype == "bfloat16"
        assert layer.kl().dtype == layer.rate().dtype == "float32"
        assert float(layer.rate()) == pytest.approx(1e-3, rel=1e-5)


def test_masks_are_the_same_under_xla():
    network, x = _network(40, rate=0.3), tf.ones((6, 40))
    jitted = tf.function(lambda x: _draw(network, x), jit_compile=True)
    np.testing.assert_allclose(jitted(x), _draw(network, x), atol=1e-5)


def test_file_round_trip_keeps_the_learnt_rate(tmp_path):
    network = _network(4, rate=0.3, tau=0.2)
    network.layers[0].logit.assign(1.5)
    network.save(tmp_path / "network.keras")
    loaded = keras.saving.load_model(tmp_path / "network.keras")
    conversion.adopt(loaded)
    x = tf.ones((3, 4))
    np.testing.assert_array_equal(_draw(loaded, x), _draw(network, x))
    assert (loaded.layers[0].initial_rate, loaded.layers[0].tau) == (0.3, 0.2)


@pytest.mark.parametrize("wrong", [
    {"rate": 0.0}, {"rate": 1.0}, {"rate": float("nan")}, {"tau": 0.0}])
def test_impossible_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match=f"Received: {next(iter(wrong))}="):
        ConcreteDropout(**wrong)


def test_images_are_sent_to_the_spatial_layer():
    with pytest.raises(ValueError, match="SpatialConcreteDropout"):
        ConcreteDropout().build((None, 4, 4, 2))
