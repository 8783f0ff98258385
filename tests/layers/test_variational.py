"""Every variational layer against the law it stands for."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo import layers
from bdlzoo.core import noise
from tests.layers.variational_cases import (
    MAPS,
    NAMES,
    draw,
    inputs_of,
    kernel_jacobian,
    make,
    map_of,
)

COUNT = 4000


@pytest.mark.parametrize("name", NAMES)
def test_outputs_have_the_mean_and_variance_of_weight_draws(name):
    """Mean `x mean + b`, variance `J**2 scale**2`, whatever the technique."""
    layer, x = make(name), inputs_of(name)
    outputs = draw(layer, x, COUNT)
    jacobian = kernel_jacobian(layer, x)
    weights = tuple(range(outputs.ndim - 1, jacobian.ndim))
    scale = layer.kernel_scale().numpy()
    variance = np.sum(jacobian**2 * scale**2, axis=weights)
    error = np.sqrt(variance / COUNT)
    assert np.all(np.abs(outputs.mean(axis=0) - layer(x)) < 5 * error + 1e-6)
    # The variance of a sample variance of normals is 2 v**2 / n.
    spread = np.abs(outputs.var(axis=0) - variance)
    assert np.all(spread < 5 * variance * np.sqrt(2 / COUNT) + 1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_uncorrelated_but_for_a_shared_draw(name):
    layer = make(name)
    x = np.repeat(inputs_of(name)[:1], 2, axis=0)  # Twice the same row.
    outputs = draw(layer, x, COUNT) - layer(x).numpy()
    first, second = outputs[:, 0].ravel(), outputs[:, 1].ravel()
    correlation = np.corrcoef(first, second)[0, 1]
    if name.endswith("Reparameterization") and "Local" not in name:
        np.testing.assert_allclose(first, second, atol=1e-5)
    else:
        assert abs(correlation) < 4 / np.sqrt(COUNT)


@pytest.mark.parametrize("name", NAMES)
def test_coherent_draw_is_one_kernel_for_all_rows(name):
    layer, x = make(name, variational_bias=True), inputs_of(name)
    outputs = draw(layer, x, coherent=True)[0]
    with noise.draws(noise.key(0), coherent=True):
        scope = noise.current()
        kernel = layer.draw_kernels(scope)
    drawn = make(name, variational_bias=False)
    drawn.kernel.assign(kernel)
    bias = outputs - drawn(x).numpy()  # What is left is the same for all rows.
    np.testing.assert_allclose(bias, np.broadcast_to(bias[:1], bias.shape), atol=1e-5)
    alone = draw(layer, x[1:2], coherent=True)[0]
    np.testing.assert_allclose(alone, outputs[1:2], atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_vanishing_scale_is_the_layer_of_keras(name):
    kind = getattr(keras.layers, map_of(name))
    x = inputs_of(name)
    layer = make(name, scale=1e-8)
    plain = kind(**MAPS[map_of(name)][0])
    plain.build(x.shape)
    plain.set_weights([w.numpy() for w in plain_weights(layer)])
    gradients = []
    for twin, scope in ((layer, noise.draws(noise.key(0))), (plain, None)):
        with tf.GradientTape() as tape:
            if scope is None:
                outputs = twin(x)
            else:
                with scope:
                    outputs = twin(x)
            loss = tf.reduce_sum(outputs**2)
        weights = [w.value for w in plain_weights(twin)]
        gradients.append((outputs, *map(
            tf.convert_to_tensor, tape.gradient(loss, weights))))
    for ours, theirs in zip(*gradients, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5, rtol=1e-5)


def plain_weights(layer):
    kernel = getattr(layer, "embeddings", None)
    kernel = layer.kernel if kernel is None else kernel
    bias = getattr(layer, "bias", None)
    return [kernel] if bias is None else [kernel, bias]


@pytest.mark.parametrize("transform", ["exp", "softplus"])
def test_kl_is_that_of_tfp_and_zero_at_the_prior(transform):
    layer = make("DenseFlipout", prior_scale=0.7, scale_transform=transform,
                 variational_bias=True)
    expected = sum(
        tfd.kl_divergence(
            tfd.Independent(tfd.Normal(mean.value, scale), mean.ndim),
            tfd.Independent(tfd.Normal(tf.zeros(mean.shape), 0.7), mean.ndim))
        for mean, scale in ((layer.kernel, layer.kernel_scale()),
                            (layer.bias, layer.init_scale)))
    np.testing.assert_allclose(layer.kl(), expected, rtol=1e-5)
    at_prior = make("DenseFlipout", prior_scale=0.7, scale_transform=transform)
    at_prior.kernel.assign(tf.zeros(at_prior.kernel.shape))
    at_prior.set_kernel_scale(0.7)
    np.testing.assert_allclose(at_prior.kl(), 0.0, atol=1e-5)


def test_slope_of_the_kl_by_log_scale():
    layer = make("DenseFlipout", prior_scale=0.7)
    with tf.GradientTape() as tape:
        kl = layer.kl()
    slope = tape.gradient(kl, layer.kernel_rho.value)
    np.testing.assert_allclose(
        slope, layer.kernel_scale() ** 2 / 0.7**2 - 1.0, atol=1e-5)


@pytest.mark.parametrize("transform, slope", [("exp", tf.exp),
                                              ("softplus", tf.sigmoid)])
@pytest.mark.parametrize("count", [1, 3])
def test_slope_of_a_perturbation_by_rho(transform, slope, count):
    """`eps` times that of the scale; draws that share a rho add up."""
    layer = layers.DenseFlipout(5, scale_transform=transform, init_scale=0.3)
    layer.build((None, 4))
    layer.noise_salt = 3
    layer.set_kernel_scale(np.linspace(0.1, 0.5, 20).reshape(4, 5))
    weights = np.random.default_rng(0).normal(size=(count, 4, 5)).astype("float32")
    scope = noise.Draw(noise.key(3), False)
    with tf.GradientTape() as tape:
        noisy = tf.reshape(layer.perturbations(scope, count), (count, 4, 5))
        total = tf.reduce_sum(weights * noisy)
    eps = noisy / layer.kernel_scale()
    assert np.std(eps) > 0.5
    rho = tf.convert_to_tensor(layer.kernel_rho)
    np.testing.assert_allclose(tape.gradient(total, layer.kernel_rho.value),
                               tf.reduce_sum(weights * eps, axis=0) * slope(rho),
                               rtol=1e-4, atol=1e-6)


def test_bias_has_its_own_variance():
    layer, x = make("DenseFlipout", scale=1e-6, variational_bias=True,
                    init_scale=0.4), inputs_of("DenseFlipout")
    outputs = draw(layer, x, COUNT)
    np.testing.assert_allclose(outputs.std(axis=0), 0.4, rtol=0.06)
    assert abs(np.corrcoef(outputs[:, 0, 0], outputs[:, 1, 0])[0, 1]) < 0.07
    shared = make("DenseReparameterization", scale=1e-6, variational_bias=True,
                  init_scale=0.4)
    outputs = draw(shared, x, COUNT) - shared(x).numpy()
    np.testing.assert_allclose(outputs[:, 0], outputs[:, 1], atol=1e-4)
    np.testing.assert_allclose(outputs.std(axis=0), 0.4, rtol=0.06)


@pytest.mark.parametrize("name", NAMES)
def test_config_and_weights_come_back(name, tmp_path):
    options = {} if name.endswith("VariationalDropout") else dict(
        prior={"type": "LaplacePrior", "scale": 0.3})
    x = inputs_of(name)
    inputs = keras.Input(x.shape[1:], dtype=x.dtype)
    layer = make(name, variational_bias=True, scale_transform="softplus", **options)
    model = keras.Model(inputs, layer(inputs))
    model.save(tmp_path / "m.keras")
    [_, again] = keras.saving.load_model(tmp_path / "m.keras").layers
    assert again.get_config() == layer.get_config()
    again.noise_salt = layer.noise_salt
    np.testing.assert_array_equal(draw(again, x, 2), draw(layer, x, 2))
    np.testing.assert_allclose(again.kl(), layer.kl())


@pytest.mark.parametrize("name", ["DenseFlipout", "Conv2DExemplar",
                                  "Conv2DLocalReparameterization"])
def test_xla_gives_the_same(name):
    layer, x = make(name), tf.constant(inputs_of(name))

    def step(x):
        with noise.draws(noise.key(0)):
            return layer(x)

    np.testing.assert_allclose(tf.function(step, jit_compile=True)(x), step(x),
                               atol=2e-5)


def test_posterior_stays_float32_in_mixed_precision():
    layer = make("DenseLocalReparameterization", dtype="mixed_float16", scale=1e-5)
    x = inputs_of("DenseLocalReparameterization")
    outputs = draw(layer, x)
    assert outputs.dtype == np.float16 and np.isfinite(outputs).all()
    assert layer.kl().dtype == tf.float32
    assert layer.kernel_scale().dtype == tf.float32


@pytest.mark.parametrize("options, words", [
    (dict(prior_scale=0.0), "positive standard deviation.*prior_scale=0.0"),
    (dict(prior_scale=-1.0), "positive standard deviation.*prior_scale=-1.0"),
    (dict(init_scale=0.0), "positive standard deviation.*init_scale=0.0"),
    (dict(scale_transform="relu"), "scale_transform='relu'"),
    (dict(prior="Laplase"), "LaplacePrior")])
def test_bad_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        layers.DenseFlipout(3, **options)


@pytest.mark.parametrize("technique", ["Reparameterization", "Flipout"])
def test_variational_bias_works_for_batches_of_unknown_size(technique):
    layer = make(f"Dense{technique}", variational_bias=True)

    @tf.function(input_signature=[tf.TensorSpec((None, 5))])
    def step(x):
        with noise.draws(noise.key(0), count=2):
            return layer(x)

    x = np.tile(inputs_of("Dense"), (2, 1))
    with noise.draws(noise.key(0), count=2):
        np.testing.assert_allclose(step(x), layer(x), atol=1e-5)
