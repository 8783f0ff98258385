"""Structured VAE: its gradients by quadrature, and its limits."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import bdlzoo
from bdlzoo.core import noise, pairwise_argmax
from bdlzoo.estimators import DirectOptimization
from bdlzoo.estimators.exact import all_codes
from bdlzoo.families import discrete_model
from bdlzoo.methods import DiscreteVAE, StructuredVAE

IMAGES = np.random.default_rng(1).uniform(size=(9, 4, 4, 1)).round().astype("float32")


def _small(variables=4, outputs=None, **options):
    keras.utils.set_random_seed(1)
    outputs = outputs or StructuredVAE.num_outputs(variables, 2)
    model = StructuredVAE(bdlzoo.networks.MLP((4, 4, 1), (8,), outputs),
                          bdlzoo.networks.MLP((2 * variables,), (8,), 16), variables,
                          seed=2, **options)
    model.compile("adam")
    model.build((None, 4, 4, 1))
    return model


UNARY, COUPLING, LOSSES = (0.3, -0.6), 0.8, (1.5, -2.0)


def _mean_loss(unary, coupling):
    """E of the loss of the arg max of two variables with logistic noise."""
    grid = np.linspace(0.0005, 0.9995, 1000)
    noise_of = np.log(grid / (1 - grid))
    first, second = np.meshgrid(unary[0] + noise_of, unary[1] + noise_of,
                                indexing="ij")
    scores = np.stack([0.0 * first, first, second, first + second + coupling])
    best = scores.argmax(axis=0)
    losses = np.array([0.0, LOSSES[0], LOSSES[1], sum(LOSSES)])
    return losses[best].mean()


def test_gradients_are_those_of_the_mean_loss():
    """By quadrature over the noise; the loss is a sum, so that flips are exact."""
    model = _small(2, estimator=DirectOptimization(0.1, two_sided=True))
    rows = 100_000
    potentials = np.zeros((rows, 2, 2), "float32")
    potentials[..., 1] = UNARY
    potentials = tf.Variable(potentials)
    couplings = tf.Variable(np.full((rows, 1), COUPLING, "float32"))
    with tf.GradientTape() as tape:
        found = model.estimated_nll(
            (potentials, couplings), lambda codes: tf.reduce_sum(
                codes[..., 1] * LOSSES, axis=-1), noise.key(0))
        total = tf.reduce_sum(found)
    slopes = tape.gradient(total, [potentials, couplings])
    np.testing.assert_allclose(np.mean(found), _mean_loss(UNARY, COUPLING), atol=0.02)
    width = 0.05
    expected = [(_mean_loss(*up) - _mean_loss(*down)) / (2 * width) for up, down in (
        (((UNARY[0] + width, UNARY[1]), COUPLING),
         ((UNARY[0] - width, UNARY[1]), COUPLING)),
        (((UNARY[0], UNARY[1] + width), COUPLING),
         ((UNARY[0], UNARY[1] - width), COUPLING)),
        ((UNARY, COUPLING + width), (UNARY, COUPLING - width)))]
    means = [*slopes[0].numpy().mean(axis=0)[:, 1], float(np.mean(slopes[1]))]
    np.testing.assert_allclose(means, expected, atol=0.03)
    np.testing.assert_allclose(slopes[0][..., 0], -slopes[0][..., 1])


def test_without_couplings_it_is_the_discrete_vae():
    model = _small(3, attractive=False)
    kernel, bias = model.encoder.layers[-1].get_weights()
    kernel[:, 6:] = 0.0
    model.encoder.layers[-1].set_weights([kernel, bias])
    twin = DiscreteVAE(bdlzoo.networks.MLP((4, 4, 1), (8,), 6), model.decoder, 3, 2)
    twin.build((None, 4, 4, 1))
    twin.encoder.set_weights([*model.encoder.get_weights()[:-2], kernel[:, :6],
                              bias[:6]])
    slopes = []
    for each in (model, twin):
        with tf.GradientTape() as tape:
            logs, _ = each.objective(tf.constant(IMAGES), None, None, noise.key(3))
        slopes.append(tape.gradient(logs["loss"], [
            each.encoder.trainable_variables[0], each.decoder.layers[-1].kernel]))
        slopes[-1].append(logs["nll"])
    for found, expected in zip(*slopes):
        np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("variables, counted, tolerance", [
    (9, 2**16, 1e-4), (2, 1, 0.05)])  # By enumeration, and by draws.
def test_likelihood_is_that_of_enumeration(variables, counted, tolerance, monkeypatch):
    monkeypatch.setattr(discrete_model, "_COUNTED", counted)
    model = _small(variables)
    every = all_codes(variables, 2)
    logits = model.decoder(every.reshape(len(every), -1)).numpy()
    x = IMAGES.reshape(9, 1, -1)
    nll = (np.logaddexp(0.0, logits) - x * logits).sum(-1)
    exact = np.log(np.mean(np.exp(-nll.astype("float64")), axis=1))
    np.testing.assert_allclose(model.log_likelihood(IMAGES, 4000, seed=1), exact,
                               atol=tolerance)


def test_proposal_gives_each_variable_the_best_code_of_the_others():
    model = _small(3)
    potentials, couplings = (part.numpy() for part in model.posterior(IMAGES))
    best = model.encode(IMAGES).values
    [found] = model.proposal((tf.constant(potentials), tf.constant(couplings)))
    matrix = np.zeros((9, 3, 3))
    matrix[(slice(None), *pairwise_argmax.pairs(3))] = couplings
    matrix += matrix.transpose(0, 2, 1)
    expected = potentials[..., 1] + np.einsum("bij,bj->bi", matrix, best)
    np.testing.assert_allclose(found[..., 1], expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found[..., 0], potentials[..., 0])


def test_code_is_the_best_with_couplings():
    model = _small()
    potentials, couplings = model.posterior(IMAGES)
    assert np.min(couplings) > 0
    expected = pairwise_argmax.by_enumeration(
        potentials[..., 1] - potentials[..., 0], couplings)
    np.testing.assert_array_equal(model.encode(IMAGES).values, expected)


def test_minimum_cut_learns_what_enumeration_learns(monkeypatch):
    ends = []
    for most in (16, 2):
        monkeypatch.setattr(pairwise_argmax, "MOST_ENUMERATED", most)
        model = _small(5, estimator=DirectOptimization(0.3), num_train_samples=2)
        model.fit(IMAGES, epochs=4, batch_size=9, verbose=0)
        ends.append(model.get_weights())
    for first, second in zip(*ends, strict=True):
        np.testing.assert_allclose(first, second, atol=1e-6)


def test_many_variables_train_by_a_minimum_cut():
    model = _small(18)
    history = model.fit(IMAGES, epochs=1, verbose=0).history
    assert np.isfinite(history["loss"]).all()
    assert model.reconstruct(IMAGES).shape == IMAGES.shape
    with pytest.raises(ValueError, match="at most 16 variables.*num_variables=18"):
        model.export("unused")
    with pytest.raises(ValueError, match="no minimum cut"):
        model.compile("adam", jit_compile=True)


@pytest.mark.parametrize("options, words", [
    (dict(variables=18, attractive=False), "attractive=False, num_variables=18"),
    (dict(variables=1, outputs=2), "num_variables=1"),
    (dict(estimator="exact"), "estimator='exact'"),
    (dict(outputs=8), "encoder with 14 outputs")])
def test_parts_that_do_not_fit_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        _small(**options)
