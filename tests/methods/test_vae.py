"""VAE: its bound against closed forms, and what it offers."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from scipy import stats

import bdlzoo
from bdlzoo.core import noise
from bdlzoo.likelihoods import GaussianPixels
from bdlzoo.methods import VAE

ROWS, WIDTH, LATENT = 400, 5, 2


def _data():
    rng = np.random.default_rng(0)
    codes, loadings = rng.normal(size=(ROWS, LATENT)), rng.normal(size=(LATENT, WIDTH))
    noisy = codes @ loadings + 0.3 * rng.normal(size=(ROWS, WIDTH)) + 1.0
    return noisy.astype("float32")


X = _data()


def _linear(**kwargs):
    """A VAE whose networks are linear: its best bound is known."""
    keras.utils.set_random_seed(0)
    encoder, decoder = (keras.Sequential([keras.Input((inputs,)),
                                          keras.layers.Dense(outputs)])
                        for inputs, outputs in ((WIDTH, 2 * LATENT), (LATENT, WIDTH)))
    return VAE(encoder, decoder, GaussianPixels(), seed=0, **kwargs)


def _ppca():
    """Weights and noise of probabilistic PCA at its maximum, and its evidence."""
    mean, covariance = X.mean(axis=0), np.cov(X.T, bias=True)
    values, vectors = np.linalg.eigh(covariance)
    variance = values[:-LATENT].mean()
    weights = vectors[:, -LATENT:] * np.sqrt(values[-LATENT:] - variance)  # [W, L]
    law = stats.multivariate_normal(
        mean, weights @ weights.T + variance * np.eye(WIDTH))
    return mean, weights, variance, law


def _at_optimum(model):
    """Puts the linear networks where the bound is the evidence."""
    mean, weights, variance, law = _ppca()
    precision = np.sum(weights**2, axis=0) + variance  # Diagonal in this basis.
    to_code = weights / precision
    log_scale = 0.5 * np.log(variance / precision)
    model.encoder.set_weights([
        np.concatenate([to_code, np.zeros_like(to_code)], axis=1),
        np.concatenate([-mean @ to_code, log_scale])])
    model.decoder.set_weights([weights.T, mean])
    model.likelihood.log_noise.assign(0.5 * np.log(variance))
    return law


def test_best_bound_of_a_linear_model_is_the_evidence_of_pca():
    model = _linear(num_samples=8000)
    model.compile("adam")
    model.build((None, WIDTH))
    law = _at_optimum(model)
    scores = model.evaluate(X, verbose=0, return_dict=True)
    # All rows share their draws: a code moves the loss by a share of eps^2 / 2.
    error = np.sqrt(LATENT / 2 / 8000)
    np.testing.assert_allclose(scores["loss"], -law.logpdf(X).mean(), atol=4 * error)
    np.testing.assert_allclose(scores["nll"] + scores["kl"], scores["loss"], rtol=1e-5)
    # There the proposal is the posterior: every weight is p(x), whatever the draw.
    np.testing.assert_allclose(model.log_likelihood(X, 1, seed=3), law.logpdf(X),
                               rtol=1e-3, atol=2e-3)


def test_training_reaches_the_evidence():
    model = _linear(num_samples=500)
    model.compile(keras.optimizers.Adam(0.02))
    model.fit(X, batch_size=100, epochs=250, verbose=0)
    *_, law = _ppca()
    bound = model.evaluate(X, verbose=0, return_dict=True)["loss"]
    evidence = -law.logpdf(X).mean()
    assert evidence - 0.02 < bound < evidence + 0.06


def _small(likelihood="bernoulli_pixels", **kwargs):
    keras.utils.set_random_seed(1)
    model = VAE(bdlzoo.networks.MLP((4, 4, 1), (8,), 6),
                bdlzoo.networks.MLP((3,), (8,), 16), likelihood, seed=2, **kwargs)
    model.compile("adam")
    model.build((None, 4, 4, 1))
    return model


IMAGES = np.random.default_rng(1).uniform(size=(9, 4, 4, 1)).astype("float32")


def test_kl_is_that_of_the_gaussians():
    model = _small()
    mean, scale = model.encode(IMAGES)
    expected = 0.5 * np.sum(mean**2 + scale**2 - 2 * np.log(scale) - 1, axis=1).mean()
    found = model.evaluate(IMAGES, verbose=0, return_dict=True)["kl"]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_step_is_the_gradient_of_the_bound():
    """With the noise of the step written out by hand, and a weighed KL."""
    model = _small(num_train_samples=3, kl_weight=0.5)
    key = noise.key(7)
    logs, _ = model.objective(tf.constant(IMAGES), None, None, key)
    mean, scale = model.encode(IMAGES)
    eps = np.asarray(noise.normal([3, len(IMAGES), 3], noise.fold_in(key, 0)))
    outputs = model.decoder((mean + scale * eps).reshape(-1, 3)).numpy()
    outputs = outputs.reshape(3, len(IMAGES), -1)
    x = IMAGES.reshape(len(IMAGES), -1)
    nll = (np.logaddexp(0.0, outputs) - x * outputs).sum(-1).mean()
    np.testing.assert_allclose(logs["nll"], nll, rtol=1e-5)
    np.testing.assert_allclose(logs["loss"], nll + 0.5 * logs["kl"], rtol=1e-5)


def test_more_draws_come_closer_to_the_log_likelihood():
    model = _small()
    model.fit(IMAGES, epochs=20, verbose=0)
    bound = -model.evaluate(IMAGES, verbose=0, return_dict=True)["loss"]
    # One draw is the bound in the mean over many seeds.
    few = np.mean([model.log_likelihood(IMAGES, 1, seed=seed).mean()
                   for seed in range(20)])
    many = model.log_likelihood(IMAGES, 500, seed=0).mean()
    assert many > bound - 1e-3 and many > few - 0.05


def test_rows_and_draws_do_not_depend_on_each_other():
    model = _small()
    alone = model.log_likelihood(IMAGES[3:4], 20, seed=1)
    np.testing.assert_allclose(model.log_likelihood(IMAGES, 20, seed=1)[3:4], alone,
                               rtol=1e-5)
    np.testing.assert_allclose(model.reconstruct(IMAGES)[3:4],
                               model.reconstruct(IMAGES[3:4]), atol=1e-6)
    # Codes are the same numbers; products of other sizes may round otherwise, by which
    # a small probability changes more than its own last digits.
    np.testing.assert_array_equal(*(model._drawn(tf.constant(count), noise.key(1))[:3]
                                    for count in (7, 3)))
    np.testing.assert_allclose(model.generate(7, seed=1)[:3],
                               model.generate(3, seed=1), atol=1e-6)
    assert not np.allclose(model.generate(3, seed=1), model.generate(3, seed=2))


def test_many_rows_are_done_in_parts():
    model = _small()
    rows = np.tile(IMAGES, (60, 1, 1, 1))  # More than one call takes.
    assert model.encode(rows).mean.shape == (540, 3)
    np.testing.assert_allclose(model.encode(rows).mean[-9:], model.encode(IMAGES).mean,
                               atol=1e-6)
    assert model.generate(300).shape == (300, 4, 4, 1)


def test_pictures_are_those_that_reports_draw():
    model = _small()
    pictures = model.pictures(IMAGES)
    assert set(pictures) == {"samples", "reconstructions", "latent_walk"}
    for kind, arguments in pictures.values():
        assert getattr(bdlzoo.reports, kind)(**arguments).axes
    assert pictures["latent_walk"][1]["images"].shape == (3, 11, 4, 4, 1)
    assert _linear_built().pictures(X) == {}


def _linear_built():
    model = _linear()
    model.build((None, WIDTH))
    return model


def test_a_walk_moves_one_coordinate_of_one_code():
    model = _small()
    _, walk = model.pictures(IMAGES)["latent_walk"]
    mean, _ = model.encode(IMAGES[:1])
    code = mean[0].copy()
    code[int(walk["rows"][0][2])] = 2.5  # "z[1], ..."
    np.testing.assert_allclose(walk["images"][0, -1], model.decode(code[None])[0],
                               atol=1e-6)


@pytest.mark.parametrize("make, words", [
    (lambda: VAE(bdlzoo.networks.MLP((4,), (), 3), bdlzoo.networks.MLP((1,), (), 4)),
     "even number of outputs"),
    (lambda: VAE(bdlzoo.networks.MLP((4,), (), 4), bdlzoo.networks.MLP((2,), (), 5)),
     "decoder with 4 outputs"),
    (lambda: VAE("encoder", bdlzoo.networks.MLP((2,), (), 4)), "encoder of type str"),
    (lambda: VAE(bdlzoo.networks.MLP((4,), (), 4), bdlzoo.networks.MLP((2,), (), 4),
                 num_samples=0), "num_samples=0")])
def test_parts_that_do_not_fit_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make().build((None, 4))


def test_what_a_vae_cannot_do_names_what_it_can():
    model = _small()
    with pytest.raises(ValueError, match="a VAE has not. Use `encode"):
        model.predict_uncertainty(IMAGES)
    with pytest.raises(ValueError, match="Use `generate"):
        model.sample_outputs(IMAGES)
    with pytest.raises(ValueError, match="has `calibrate`"):
        model.calibrate(IMAGES, np.zeros(9))
    with pytest.raises(ValueError, match="has no targets"):
        model.fit(IMAGES, np.zeros(9))
    with pytest.raises(ValueError, match="from 0 to 1.*gaussian_pixels"):
        model.fit(255.0 * IMAGES)
    with pytest.raises(ValueError, match="made for"):
        model.encode(IMAGES[:, :3])
