"""Discrete VAE: its bound by enumeration, its step by hand, and what it offers."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import bdlzoo
from bdlzoo.core import noise
from bdlzoo.estimators import DirectOptimization, Exact, GumbelSoftmax
from bdlzoo.estimators.exact import all_codes
from bdlzoo.families import discrete_model
from bdlzoo.methods import DiscreteVAE

IMAGES = np.random.default_rng(1).uniform(size=(9, 4, 4, 1)).round().astype("float32")


def _small(variables=1, values=5, **options):
    keras.utils.set_random_seed(1)
    numbers = variables * values
    model = DiscreteVAE(bdlzoo.networks.MLP((4, 4, 1), (8,), numbers),
                        bdlzoo.networks.MLP((numbers,), (8,), 16), variables, values,
                        seed=2, **options)
    model.compile("adam")
    model.build((None, 4, 4, 1))
    return model


def _enumerated(model):
    """-log p(x | code) of every code `[B, M]`, and the probabilities of codes."""
    codes = all_codes(*model.code_shape)  # [M, N, K]
    logits = model.decoder(codes.reshape(len(codes), -1)).numpy().astype("float64")
    x = IMAGES.reshape(len(IMAGES), 1, -1)
    nll = (np.logaddexp(0.0, logits) - x * logits).sum(-1)
    probs = model.encode(IMAGES).probs.astype("float64")
    return nll, np.exp(np.einsum("mnk,bnk->bm", codes, np.log(probs))), probs


@pytest.mark.parametrize("variables, values, tolerance", [(1, 5, 1e-5), (2, 3, 1e-5)])
def test_bound_and_likelihood_are_those_of_enumeration(variables, values, tolerance):
    model = _small(variables, values)
    nll, weights, probs = _enumerated(model)
    scores = model.evaluate(IMAGES, verbose=0, return_dict=True)
    kl = np.sum(probs * np.log(probs), axis=(1, 2)) + variables * np.log(values)
    np.testing.assert_allclose(scores["nll"], np.mean(np.sum(weights * nll, axis=1)),
                               rtol=tolerance)
    np.testing.assert_allclose(scores["kl"], kl.mean(), rtol=1e-4, atol=1e-6)
    assert 0 <= kl.min() and kl.max() <= variables * np.log(values)
    exact = np.log(np.mean(np.exp(-nll), axis=1))
    np.testing.assert_allclose(model.log_likelihood(IMAGES), exact, rtol=1e-5)
    assert -scores["loss"] < exact.mean()


def test_draws_of_codes_come_close_to_the_likelihood(monkeypatch):
    """With more codes than are summed over."""
    monkeypatch.setattr(discrete_model, "_COUNTED", 2)
    model = _small(3, 2)
    nll, _, _ = _enumerated(model)
    np.testing.assert_allclose(model.log_likelihood(IMAGES, 4000, seed=1),
                               np.log(np.mean(np.exp(-nll), axis=1)), atol=0.05)


def test_draws_come_close_to_the_sum_over_codes():
    """With more than 256 codes, which are not summed over."""
    model = _small(9, 2, num_samples=3000)
    nll, weights, _ = _enumerated(model)
    scores = model.evaluate(IMAGES, verbose=0, return_dict=True)
    np.testing.assert_allclose(scores["nll"], np.mean(np.sum(weights * nll, axis=1)),
                               rtol=0.01)


def test_product_of_matrices_is_the_sum_over_pixels():
    model = _small()
    codes = tf.eye(5)[:, None, None]
    shared = model.reconstruction_loss(tf.constant(IMAGES), codes)
    apart = model.reconstruction_loss(
        tf.constant(IMAGES), tf.tile(codes, [1, len(IMAGES), 1, 1]))
    np.testing.assert_allclose(shared, apart, rtol=1e-5)
    np.testing.assert_allclose(shared, _enumerated(model)[0].T, rtol=1e-5)


def _slopes(model, key=7):
    with tf.GradientTape() as tape:
        logs, _ = model.objective(tf.constant(IMAGES), None, None, noise.key(key))
    variables = model.encoder.trainable_variables
    return logs, tape.gradient(logs["loss"], variables)


def test_exact_step_is_the_gradient_of_the_bound():
    model = _small(estimator="exact")
    logs, slopes = _slopes(model)
    with tf.GradientTape() as tape:
        bound = tf.reduce_mean(model.scores(tf.constant(IMAGES), None, None)["loss"])
    for found, expected in zip(slopes, tape.gradient(
            bound, model.encoder.trainable_variables)):
        np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_allclose(logs["loss"], bound, rtol=1e-5)


def test_direct_step_comes_close_to_the_exact_one():
    exact = _slopes(_small(estimator="exact"))[1]
    direct = _slopes(_small(estimator=DirectOptimization(0.02, two_sided=True),
                            num_train_samples=20_000))[1]
    for found, expected in zip(direct, exact):
        scale = np.abs(expected).max()
        np.testing.assert_allclose(found, expected, atol=0.2 * scale)


def test_kl_that_is_not_trained_is_reported():
    (_, with_kl), (logs, without) = (_slopes(_small(
        estimator="exact", train_kl=train)) for train in (True, False))
    np.testing.assert_allclose(logs["loss"], logs["nll"] + logs["kl"], rtol=1e-6)
    gap = max(np.abs(a - b).max() for a, b in zip(with_kl, without))
    assert gap > 1e-4
    model = _small()
    with tf.GradientTape() as tape:
        kl = tf.reduce_mean(model.kl(model.posterior(tf.constant(IMAGES))))
    for a, b, c in zip(with_kl, without, tape.gradient(
            kl, model.encoder.trainable_variables)):
        np.testing.assert_allclose(a - b, c, atol=1e-5)


@pytest.mark.parametrize("estimator", [
    DirectOptimization(0.5), GumbelSoftmax(0.5), Exact(), "score_function"])
def test_every_estimator_trains_any_number_of_variables(estimator):
    model = _small(2, 3, estimator=estimator)
    before = model.encoder.get_weights()
    history = model.fit(IMAGES, epochs=2, batch_size=3, verbose=0).history
    assert np.isfinite(history["loss"]).all()
    assert any(np.any(a != b) for a, b in zip(before, model.encoder.get_weights()))


def test_schedule_follows_the_steps():
    falling = bdlzoo.ExponentialFall(1.0, 1.0, floor=0.01)
    model = _small(estimator=DirectOptimization(falling))
    model.optimizer.iterations.assign(3)
    fixed = _small(estimator=DirectOptimization(float(np.exp(-3.0))))
    for found, expected in zip(_slopes(model)[1], _slopes(fixed)[1]):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_codes_of_the_prior_are_uniform_and_rows_share_noise():
    model = _small(2, 3)
    codes = model._drawn(tf.constant(3000), noise.key(0)).numpy()  # In a graph.
    np.testing.assert_allclose(codes.mean(axis=0), 1 / 3, atol=0.04)
    np.testing.assert_allclose(model.generate(7, seed=1)[:3],
                               model.generate(3, seed=1), rtol=1e-6)
    np.testing.assert_allclose(model.reconstruct(IMAGES)[3:4],
                               model.reconstruct(IMAGES[3:4]), atol=1e-6)


def test_reconstruction_is_the_mean_over_codes():
    model = _small(2, 3)
    _, weights, _ = _enumerated(model)
    means = model.decode(all_codes(2, 3)).numpy()
    np.testing.assert_allclose(model.reconstruct(IMAGES),
                               np.tensordot(weights, means, 1), atol=1e-5)


def test_pictures_are_those_that_reports_draw():
    one, several = _small(), _small(3, 2)
    assert set(one.pictures(IMAGES)) == {"samples", "reconstructions", "codes"}
    assert set(several.pictures(IMAGES)) == {"samples", "reconstructions",
                                             "latent_walk"}
    for model in (one, several):
        for kind, arguments in model.pictures(IMAGES).values():
            assert getattr(bdlzoo.reports, kind)(**arguments).axes
    images = one.pictures(IMAGES)["codes"][1]["images"]
    np.testing.assert_allclose(images[0, 2], one.decode(
        np.eye(5, dtype="float32")[2][None, None])[0], atol=1e-6)
    walk = several.pictures(IMAGES)["latent_walk"][1]
    assert walk["images"].shape == (3, 2, 4, 4, 1)


def _networks(outputs=6, inputs=6):
    return bdlzoo.networks.MLP((4,), (), outputs), bdlzoo.networks.MLP((inputs,), (), 4)


@pytest.mark.parametrize("make, words", [
    (lambda: DiscreteVAE(*_networks(), 2, 2), "encoder with 4 outputs"),
    (lambda: DiscreteVAE(*_networks(inputs=3), 2, 3), "decoder of rows of 6 numbers"),
    (lambda: DiscreteVAE(*_networks(), 2, 1), "num_values=1"),
    (lambda: DiscreteVAE(*_networks(), 0, 3), "num_variables=0"),
    (lambda: DiscreteVAE(*_networks(), 2, 3, "softmax"), "name of a class"),
    (lambda: DiscreteVAE(*_networks(), 2, 3, "mlp_x"), "name of a class"),
    (lambda: DiscreteVAE(*_networks(), 2, 3, 3.0), "estimator=3.0"),
    (lambda: DiscreteVAE(*_networks(), 2, 3, {
        "type": "DirectOptimization", "epsilon": 0}), "epsilon=0")])
def test_parts_that_do_not_fit_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make().build((None, 4))
