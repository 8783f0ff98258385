"""Truths of ensembles: identities, and the posterior of a linear model."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.methods import DeepEnsemble

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3)).astype("float32")


def _network(outputs=3, **kwargs):
    return keras.Sequential([keras.Input((3,)),
                             keras.layers.Dense(8, activation="tanh", **kwargs),
                             keras.layers.Dense(outputs)])


def _ensemble(num_members=4, **kwargs):
    model = DeepEnsemble(_network(), num_members=num_members, seed=0, **kwargs)
    model.compile("adam")
    model.build((None, 3))
    return model


def test_copies_of_one_network_have_nothing_to_disagree_on():
    """T1.1."""
    network = _network()
    model = DeepEnsemble.from_models([network] * 3)
    prediction = model.predict_uncertainty(X)
    np.testing.assert_allclose(prediction.mean, tf.nn.softmax(network(X)), atol=1e-6)
    np.testing.assert_allclose(prediction.mutual_information, 0.0, atol=1e-6)


def test_ensemble_is_no_worse_than_its_members_are_on_average():
    """T1.2, by Jensen's inequality, exact for each row."""
    model = _ensemble()
    y = RNG.integers(0, 3, 30)
    members = tf.nn.log_softmax(model.sample_outputs(X)).numpy()[:, np.arange(30), y]
    together = model.predict_uncertainty(X).log_prob(y).numpy()
    assert (together >= members.mean(axis=0) - 1e-6).all()
    assert (together > members.mean(axis=0) + 1e-3).any()


def test_variance_is_that_of_the_mixture():
    """T1.6: members' own noise, and what they disagree on."""
    model = DeepEnsemble(_network(2), "HeteroscedasticGaussian", num_members=4, seed=0)
    model.build((None, 3))
    prediction = model.predict_uncertainty(X)
    draws = model.likelihood.prediction(model.sample_outputs(X))
    means, variances = draws.means.numpy(), draws.variances.numpy()
    expected = (variances + means**2).mean(0) - means.mean(0) ** 2
    np.testing.assert_allclose(prediction.variance, expected, rtol=1e-4)
    assert (prediction.variance >= variances.mean(0)).all()


@pytest.mark.parametrize("noisy", [False, True])
def test_anchored_linear_members_sample_what_theory_says(noisy):
    """T1.5: with noise on the targets, the exact posterior; else far too little."""
    count, scale, noise_scale = 200, 0.7, 0.5
    y = (X @ [1.0, -2.0, 0.5] + noise_scale * RNG.normal(size=30)).astype("float32")
    network = keras.Sequential([keras.Input((3,)),
                                keras.layers.Dense(1, use_bias=False)])
    model = DeepEnsemble(
        network, {"type": "Gaussian", "noise_scale": noise_scale},
        num_members=count, prior_scale=scale, anchored=True, own_order=False,
        target_noise=noise_scale if noisy else 0.0, seed=1)
    model.compile(keras.optimizers.SGD(0.15))
    model.fit(X, y, batch_size=30, epochs=100, verbose=0, shuffle=False)
    weights = model.network.stacks[0].parts[0].numpy()[:, :, 0]
    precision = X.T @ X / noise_scale**2 + np.eye(3) / scale**2
    posterior = np.linalg.inv(precision)
    mean = posterior @ X.T @ y / noise_scale**2
    expected = posterior if noisy else posterior @ posterior / scale**2
    error = np.sqrt(np.diag(expected) / count)
    np.testing.assert_array_less(np.abs(weights.mean(0) - mean), 5 * error)
    whitened = np.linalg.solve(np.linalg.cholesky(expected), np.cov(weights.T))
    whitened = np.linalg.solve(np.linalg.cholesky(expected), whitened.T)
    np.testing.assert_allclose(whitened, np.eye(3), atol=5 * np.sqrt(2 / count))


def test_prior_pulls_members_to_zero_and_to_their_anchors():
    plain, anchored = _ensemble(prior_scale=0.5), _ensemble(prior_scale=0.5,
                                                            anchored=True)
    weights = np.concatenate([w.numpy().ravel() for w
                              in plain.network.trainable_variables])
    np.testing.assert_allclose(plain.kl(), (weights**2).sum() / (2 * 0.25) / 4,
                               rtol=1e-5)
    for w, anchor in zip(anchored.network.trainable_variables,
                         anchored._anchors.value, strict=True):
        assert not np.array_equal(anchor[0], anchor[1])  # One for each member.
        w.assign(anchor)
    np.testing.assert_allclose(anchored.kl(), 0.0, atol=1e-6)
    draws = np.concatenate([np.ravel(a) for a in anchored._anchors.value])
    np.testing.assert_allclose(draws.std(), 0.5, rtol=0.15)
    assert _ensemble().kl() is None


def test_adversarial_smoothing_adds_the_loss_one_step_uphill():
    y = RNG.integers(0, 3, 30)
    model = _ensemble(adversarial_epsilon=0.2)
    model.compile(keras.optimizers.SGD(0.0))
    logs = model.fit(X, y, batch_size=30, verbose=0).history
    x, key = tf.constant(np.stack([X] * 4)), noise.key(0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        clean, _ = model.member_nll(x, np.stack([y] * 4), key)
    uphill = x + 0.2 * tf.sign(tape.gradient(clean, x))
    attacked, _ = model.member_nll(uphill, np.stack([y] * 4), key)
    assert (attacked.numpy().mean(1) > clean.numpy().mean(1)).all()
    np.testing.assert_allclose(logs["nll"], np.mean(clean), rtol=1e-4)
    np.testing.assert_allclose(logs["loss"], np.mean(clean) + np.mean(attacked),
                               rtol=1e-4)


def test_inputs_by_name_are_smoothed_and_perturbed_too():
    inputs = {name: keras.Input((3,), name=name) for name in ("a", "b")}
    network = keras.Model(inputs, keras.layers.Dense(1)(inputs["a"] - inputs["b"]))
    model = DeepEnsemble(network, "gaussian", num_members=2, seed=0,
                         adversarial_epsilon=0.1, target_noise=0.5)
    model.compile(keras.optimizers.SGD(0.0))
    x = {"a": X, "b": 2.0 * X}
    logs = model.fit(x, np.zeros((30, 1), "float32"), batch_size=30,
                     verbose=0).history
    assert logs["loss"][0] > 2.0 * logs["nll"][0]  # Uphill of both inputs.


def test_noise_on_targets_belongs_to_the_row_and_the_member():
    model = _ensemble(target_noise=0.5)
    x, y = tf.constant(X), tf.zeros([30, 2])
    noisy = model._perturbed(x[None], y[None]).numpy()  # [M, B, D]
    again = model._perturbed(x[None, ::-1], y[None]).numpy()
    np.testing.assert_array_equal(noisy, again[:, ::-1])
    flat = noisy.transpose(0, 2, 1).reshape(8, 30)
    assert np.abs(np.corrcoef(flat) - np.eye(8)).max() < 0.7
    np.testing.assert_allclose(noisy.std(), 0.5, rtol=0.15)


def test_trained_models_become_one():
    networks = [_network() for _ in range(3)]
    model = DeepEnsemble.from_models(networks)
    for draw, network in zip(model.sample_outputs(X), networks, strict=True):
        np.testing.assert_allclose(draw, network(X), atol=1e-5)
    assert model.num_samples == 3


def test_models_of_other_makes_are_refused():
    with pytest.raises(ValueError, match="number 1 with other weights"):
        DeepEnsemble.from_models([_network(), _network(outputs=2)])
    other = keras.Sequential([keras.Input((3,)),
                              keras.layers.Dense(8, activation="relu"),
                              keras.layers.Dense(3)])
    with pytest.raises(ValueError, match="computes another function"):
        DeepEnsemble.from_models([_network(), other])
    with pytest.raises(ValueError, match="at least two models"):
        DeepEnsemble.from_models([_network()])


@pytest.mark.parametrize("options, message", [
    (dict(anchored=True), "Expected a prior"),
    (dict(target_noise=-1.0), "not negative"),
    (dict(adversarial_epsilon=-0.1), "not negative")])
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        DeepEnsemble(_network(), **options)
