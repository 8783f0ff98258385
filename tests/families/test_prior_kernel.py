"""Tests of the Gaussian process that a network is before it is trained."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core import noise
from bdlzoo.families.prior_kernel import NetworkKernel, PriorKernel

KEY = noise.key(0, noise.TRAIN)
X = noise.normal([6, 3], noise.fold_in(KEY, 1))


def _network(*widths, bias=True, shape=(3,)):
    layers = [keras.layers.Dense(width, "relu") for width in widths]
    return keras.Sequential([keras.Input(shape), *layers,
                             keras.layers.Dense(2, use_bias=bias)])


def _image_network():
    return keras.Sequential([
        keras.Input((6, 6, 1)), keras.layers.Conv2D(4, 3, activation="relu"),
        keras.layers.Flatten(), keras.layers.Dense(5, "relu"),
        keras.layers.Dense(3)])


def _arc_cosine(x, weight, bias):
    """Kernel of one ReLU layer without first bias, in closed form."""
    x = np.asarray(x, "float64")
    norm = np.linalg.norm(x, axis=1)
    outer = np.outer(norm, norm)
    angle = np.arccos(np.clip(x @ x.T / outer, -1, 1))
    return weight[1] * weight[0] / x.shape[1] * outer / (2 * np.pi) * (
        np.sin(angle) + (np.pi - angle) * np.cos(angle)) + bias


def test_one_relu_layer_has_the_arc_cosine_kernel():
    prior = PriorKernel(_network(4096), 64, weight_variance=[3.0, 2.0],
                        bias_variance=[0.0, 0.5])
    np.testing.assert_allclose(prior(X, KEY), _arc_cosine(X, (3.0, 2.0), 0.5),
                               rtol=0.01, atol=0.01)


def test_bias_of_the_first_layer_is_an_input_of_one():
    """N(0, b) bias is a weight of N(0, W / fan_in) on an input sqrt(b d / W)."""
    prior = PriorKernel(_network(4096), 32, 3.0, [0.75, 0.0])
    wide = tf.concat([X, tf.fill([6, 1], (0.75 * 3 / 3.0)**0.5)], axis=1)
    expected = _arc_cosine(wide, (3.0 * 4 / 3, 3.0), 0.0)
    np.testing.assert_allclose(prior(X, KEY), expected, rtol=0.02, atol=0.02)


def test_kernel_is_that_of_random_networks():
    """Outputs of whole networks, drawn by hand, vary as the kernel says."""
    prior = PriorKernel(_network(16, 16), 20, 2.0, 0.1)
    compiled = tf.function(prior)
    found = np.mean([compiled(X, key) for key in noise.split(KEY, 60)], axis=0)
    count = 4000
    keys = [noise.fold_in(KEY, 10 + i) for i in range(6)]
    hidden, width = tf.repeat(X[None], count, axis=0), 3
    for i, size in enumerate((16, 16, 1)):
        kernel = noise.normal([count, width, size], keys[2 * i])
        hidden = hidden @ kernel * (2.0 / width)**0.5 + 0.1**0.5 * noise.normal(
            [count, 1, size], keys[2 * i + 1])
        hidden, width = (tf.nn.relu(hidden) if i < 2 else hidden), size
    outputs = hidden[..., 0].numpy()
    expected = outputs.T @ outputs / count
    np.testing.assert_allclose(found, expected, rtol=0.1, atol=0.1)


def test_kernel_is_redrawn_by_key_and_has_no_gradient():
    prior = PriorKernel(_network(8), 4)
    with tf.GradientTape() as tape:
        tape.watch(X)
        first = prior(X, KEY)
    assert tape.gradient(first, X) is None
    np.testing.assert_array_equal(first, prior(X, KEY))
    assert not np.allclose(first, prior(X, noise.fold_in(KEY, 7)), rtol=1e-3)
    assert np.all(np.linalg.eigvalsh(first) > -1e-5)


@pytest.mark.parametrize("network, x", [
    (_network(8, 8), X),
    (_image_network(), noise.normal([6, 6, 6, 1], KEY))], ids=["dense", "image"])
def test_graph_and_xla_give_the_same(network, x):
    prior = PriorKernel(network, 3, 2.0, 0.1)
    plain = prior(x, KEY)
    for jit in (False, True):
        compiled = tf.function(prior, jit_compile=jit)
        np.testing.assert_allclose(compiled(x, KEY), plain, rtol=1e-4, atol=1e-5)


def test_convolutional_features_are_flattened():
    x = noise.normal([5, 6, 6, 1], KEY)
    inputs = keras.Input((6, 6, 1))
    maps = keras.layers.Conv2D(4, 3, activation="relu")(inputs)
    network = keras.Model(inputs, keras.layers.Dense(2)(maps))
    prior = PriorKernel(network, 3)
    assert prior.features(x, KEY).shape == (5, 3 * 4 * 4 * 4)


def test_scales_of_normalisation_stay_as_they_are():
    network = keras.Sequential([
        keras.Input((3,)), keras.layers.Dense(64),
        keras.layers.LayerNormalization(), keras.layers.Dense(1)])
    prior = PriorKernel(network, 3, weight_variance=2.0, bias_variance=1.0)
    # Normalised features have a mean square of one.
    np.testing.assert_allclose(tf.linalg.diag_part(prior(X, KEY)), 3.0, rtol=0.05)


def test_without_a_bias_the_last_layer_adds_none():
    assert PriorKernel(_network(8, bias=False), 2, 1.0, 0.7).bias == 0.0
    assert PriorKernel(_network(8), 2, 1.0, 0.7).bias == 0.7


def test_network_is_left_as_it_was():
    network = _network(8)
    before = network.get_weights()
    nodes = len(network.layers[0]._inbound_nodes)
    PriorKernel(network, 2)(X, KEY)
    assert len(network.layers[0]._inbound_nodes) == nodes
    for old, new in zip(before, network.get_weights()):
        np.testing.assert_array_equal(old, new)


def test_processes_of_tfp_take_the_kernel():
    prior = PriorKernel(_network(64), 8, 2.0, 0.1)
    kernel = NetworkKernel(prior, KEY)
    np.testing.assert_allclose(kernel.matrix(X, X), prior(X, KEY), rtol=1e-4)
    np.testing.assert_allclose(kernel.apply(X, X),
                               tf.linalg.diag_part(prior(X, KEY)), rtol=1e-4)
    train, y = X[:4], tf.constant([1.0, -1.0, 0.5, 2.0])
    process = tfd.GaussianProcessRegressionModel(
        kernel, X, train, y, observation_noise_variance=0.1,
        predictive_noise_variance=0.0, jitter=1e-6)
    full = prior(X, KEY).numpy().astype("float64")
    gain = full[:, :4] @ np.linalg.inv(full[:4, :4] + 0.1 * np.eye(4))
    np.testing.assert_allclose(process.mean(), gain @ y.numpy(), rtol=1e-3,
                               atol=1e-3)
    np.testing.assert_allclose(process.variance(),
                               np.diag(full - gain @ full[:4]), rtol=1e-2,
                               atol=1e-3)


def test_wrong_variances_and_networks_are_refused():
    for options, words in ((dict(weight_variance=0.0), "weight_variance=0.0"),
                           (dict(bias_variance=-1.0), "bias_variance=-1.0"),
                           (dict(weight_variance=[1.0]), "or 2, one for each"),
                           (dict(num_networks=0), "num_networks=0")):
        with pytest.raises(ValueError, match=words):
            PriorKernel(_network(8), **options)
