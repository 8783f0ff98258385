"""Laplace: Bayesian linear regression exactly, logistic regression against Newton."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from scipy import special, stats

from bdlzoo.core import noise
from bdlzoo.likelihoods import Bernoulli, Gaussian
from bdlzoo.methods import Laplace
from bdlzoo.networks import MLP

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)).astype("float32")
ROWS = np.c_[X, np.ones(40)].astype("float64")
Y = (X @ [[1.0], [-2.0], [0.5]] + 0.3
     + 0.4 * RNG.normal(size=(40, 1))).astype("float32")
NOISE, PRIOR = 0.5, 0.8
LABELS = RNG.integers(0, 3, 40)
EVERY = [("last", "full"), ("last", "kronecker"),
         pytest.param("all", "kronecker", marks=pytest.mark.slow)]


def _dense(matrix):
    network = keras.Sequential([keras.Input((3,)), keras.layers.Dense(matrix.shape[1])])
    network.set_weights([matrix[:-1], matrix[-1]])
    return network


def _regression(noise=NOISE, prior=PRIOR):
    """Mean and covariance of the exact posterior, and the evidence."""
    covariance = np.linalg.inv(ROWS.T @ ROWS / noise**2 + np.eye(4) / prior**2)
    evidence = stats.multivariate_normal(
        np.zeros(40), noise**2 * np.eye(40) + prior**2 * ROWS @ ROWS.T).logpdf(Y[:, 0])
    return covariance @ ROWS.T @ Y / noise**2, covariance, evidence


@pytest.mark.parametrize("select, structure", EVERY)
def test_linear_regression_has_its_exact_posterior(select, structure):
    mean, covariance, evidence = _regression()
    model = Laplace(_dense(mean), Gaussian(NOISE), select=select, structure=structure,
                    prior_scale=PRIOR)
    model.fit(X, Y, batch_size=16, verbose=0)
    prediction = model.predict_uncertainty(X, num_samples=2)
    np.testing.assert_allclose(prediction.mean, ROWS @ mean, atol=1e-5)
    exact = np.einsum("bi,ij,bj->b", ROWS, covariance, ROWS)[:, None]
    np.testing.assert_allclose(prediction.epistemic, exact, rtol=1e-5)
    np.testing.assert_allclose(prediction.aleatoric, NOISE**2, rtol=1e-5)
    np.testing.assert_allclose(model.log_marginal_likelihood(), evidence, rtol=1e-5)
    draws = np.asarray(model.sample_outputs(X, 4000, seed=1))
    np.testing.assert_allclose(draws.mean(axis=0), ROWS @ mean, atol=0.02)
    np.testing.assert_allclose(draws.var(axis=0), exact, rtol=0.12)


def _logistic(classes):
    """Newton's method in float64: weights, precision and Laplace evidence."""
    size, precision = 4 * classes, 1 / PRIOR**2
    w, observed = np.zeros((4, classes)), np.eye(classes)[LABELS]
    for _ in range(50):
        probs = special.softmax(ROWS @ w, axis=-1)
        slope = ROWS.T @ (probs - observed) + precision * w
        bends = np.einsum("bo,op->bop", probs, np.eye(classes)) - (
            probs[:, :, None] * probs[:, None])
        hessian = np.einsum("bi,bj,bop->iojp", ROWS, ROWS, bends).reshape(size, size)
        hessian += precision * np.eye(size)
        w -= np.linalg.solve(hessian, slope.ravel()).reshape(4, classes)
    log_joint = np.log(probs[range(40), LABELS]).sum() - 0.5 * precision * (w**2).sum()
    evidence = log_joint + 0.5 * size * np.log(precision) - 0.5 * np.linalg.slogdet(
        hessian)[1]
    return w, hessian, evidence


def test_logistic_regression_has_the_hessian_of_newton():
    w, hessian, evidence = _logistic(3)
    model = Laplace(_dense(w), structure="full", prior_scale=PRIOR)
    model.fit(X, LABELS, verbose=0)
    np.testing.assert_allclose(model.log_marginal_likelihood(), evidence, rtol=1e-5)
    covariance = np.linalg.inv(hessian).reshape(4, 3, 4, 3)
    outputs = np.einsum("bi,iojp,bj->bop", ROWS, covariance, ROWS)
    variances = np.diagonal(outputs, axis1=1, axis2=2)
    expected = special.softmax(ROWS @ w / np.sqrt(1 + np.pi / 8 * variances), axis=-1)
    np.testing.assert_allclose(model.predict(X, verbose=0), expected, atol=1e-5)
    draws = np.asarray(model.sample_outputs(X[:5], 8000, seed=1))
    for row in range(5):
        np.testing.assert_allclose(np.cov(draws[:, row].T), outputs[row], atol=0.03)


def test_binary_labels_have_the_hessian_of_two_classes():
    """Logits of opposite sign, with half of the prior variance for each of the two."""
    labels = LABELS % 2
    kernel = RNG.normal(size=(4, 1))
    model = Laplace(_dense(kernel), "bernoulli", structure="full", prior_scale=PRIOR)
    model.fit(X, labels, verbose=0)
    probs = special.expit(ROWS @ kernel)
    covariance = np.linalg.inv(ROWS.T @ (ROWS * probs * (1 - probs))
                               + np.eye(4) / PRIOR**2)
    variance = np.einsum("bi,ij,bj->b", ROWS, covariance, ROWS)[:, None]
    np.testing.assert_allclose(
        model.predict(X, verbose=0),
        special.expit(ROWS @ kernel / np.sqrt(1 + np.pi / 8 * variance)), atol=1e-5)


def test_scale_that_is_found_has_the_largest_evidence():
    network = MLP((3,), (6,), 3)
    for per_layer in (False, True):
        model = Laplace(network, select="all", prior_per_layer=per_layer,
                        allow_untrained=True)
        model.fit(X, LABELS, verbose=0)
        best, scales = model.log_marginal_likelihood(), np.array(model.prior_scales)
        assert (len(set(scales)) > 1) == per_layer
        for place in range(len(scales)):
            for factor in (0.98, 1.02):
                other = scales.copy()
                other[place if per_layer else slice(None)] *= factor
                assert model.log_marginal_likelihood(other) < best
        np.testing.assert_allclose(model.log_marginal_likelihood(scales), best)


def test_noise_that_is_learnt_has_the_largest_evidence():
    mean, _, _ = _regression()
    models = {}
    for factor in (None, 0.97, 1.0, 1.03):
        scale = 2.0 if factor is None else factor * np.exp(
            models[None].likelihood.log_noise.numpy()[0])
        model = models[factor] = Laplace(
            _dense(mean), Gaussian(scale, learn_noise=factor is None))
        # Weights of rows count as rows do.
        model.fit(X, Y, sample_weight=np.full(40, 2.0), verbose=0)
    best = models[None].log_marginal_likelihood()
    np.testing.assert_allclose(models[1.0].log_marginal_likelihood(), best, atol=1e-3)
    for factor in (0.97, 1.03):
        assert models[factor].log_marginal_likelihood() < best - 1e-3
    np.testing.assert_allclose(*(models[f].predict_uncertainty(X).variance
                                 for f in (None, 1.0)), rtol=1e-3)


def _fitted(x=X, y=LABELS, network=None, **kwargs):
    model = Laplace(network or _dense(np.tile(ROWS[:4, :3], 1)), structure="full",
                    prior_scale=PRIOR, seed=0)
    model.fit(x, y, verbose=0, **kwargs)
    return model


def _roots(model):
    return model.posteriors[0].root.numpy()


def test_posterior_depends_on_the_data_alone():
    """Not on batches; a weight of 2 is a row twice; a later fit starts again."""
    network = _dense(ROWS[:4, :3])
    whole = _fitted(network=network)
    np.testing.assert_allclose(_roots(_fitted(network=network, batch_size=7)),
                               _roots(whole), atol=1e-5)
    heavy = _fitted(network=network, sample_weight=np.repeat([2.0, 1.0], [3, 37]))
    twice = _fitted(np.r_[X, X[:3]], np.r_[LABELS, LABELS[:3]], network)
    np.testing.assert_allclose(_roots(heavy), _roots(twice), atol=1e-5)
    np.testing.assert_allclose(heavy.log_marginal_likelihood(),
                               twice.log_marginal_likelihood(), rtol=1e-5)
    twice.fit(X, LABELS, verbose=0)
    np.testing.assert_allclose(_roots(twice), _roots(whole), atol=1e-5)
    for mine, given in zip(network.get_weights(), [ROWS[:3, :3], ROWS[3, :3]]):
        np.testing.assert_allclose(mine, given, rtol=1e-6)


def test_rows_count_as_those_of_the_data():
    """Those that are told, or those that were seen, of a stream as well."""
    network = _dense(ROWS[:4, :3])
    stream = tf.data.Dataset.from_tensor_slices((X, LABELS)).batch(16).filter(
        lambda x, y: True)  # Its length is not known.
    seen = _fitted(stream, None, network)
    assert float(seen.num_data) == 40
    np.testing.assert_allclose(_roots(seen), _roots(_fitted(network=network)),
                               atol=1e-5)
    told = _fitted(stream.repeat(), None, network, steps_per_epoch=6, num_data=40)
    assert float(told.num_data) == 40 and float(told.rows) == 80
    copies = _fitted(np.tile(X, (3, 1)), np.tile(LABELS, 3), network)
    more = _fitted(network=network, num_data=120)
    np.testing.assert_allclose(_roots(more), _roots(copies), atol=1e-5)


@pytest.mark.parametrize("select, structure, predictive", [
    ("last", "kronecker", "bridge"), ("all", "kronecker", "probit"),
    *(pytest.param(*case, marks=pytest.mark.slow) for case in (
        ("last", "full", "probit"), ("last", "diagonal", "samples"),
        ("all", "diagonal", "weights")))])
def test_without_doubt_it_is_the_network(select, structure, predictive):
    network = MLP((3,), (6,), 3)
    model = Laplace(network, select=select, structure=structure, prior_scale=1e-5,
                    predictive=predictive, allow_untrained=True)
    history = model.fit(X, LABELS, validation_data=(X, LABELS), verbose=0).history
    plain = special.softmax(np.asarray(network(X)), axis=-1)
    nll = -np.log(plain[range(40), LABELS]).mean()
    np.testing.assert_allclose(history["nll"], [nll], rtol=1e-5)
    np.testing.assert_allclose(model.sample_outputs(X, 2),
                               np.stack([network(X)] * 2), atol=1e-3)
    if predictive != "bridge":  # It has its own mean, also of a point.
        np.testing.assert_allclose(model.predict(X, verbose=0), plain, atol=1e-4)
        np.testing.assert_allclose(history["val_nll"], [nll], rtol=1e-3)


def test_bridge_is_that_of_the_covariance_of_the_logits():
    """On the plane of logits whose sum is zero, with matrices written out."""
    w, hessian, _ = _logistic(3)
    model = Laplace(_dense(w), structure="full", prior_scale=PRIOR, predictive="bridge")
    model.fit(X, LABELS, verbose=0)
    covariance = np.linalg.inv(hessian).reshape(4, 3, 4, 3)
    whole = np.einsum("bi,iojp,bj->bop", ROWS, covariance, ROWS)
    sums = whole.sum(axis=2)
    share = sums / sums.sum(axis=1, keepdims=True)
    mean = ROWS @ w - share * (ROWS @ w).sum(axis=1, keepdims=True)
    variance = np.diagonal(whole, axis1=1, axis2=2) - share * sums
    counts = (1 - 2 / 3 + np.exp(mean) / 9 * np.exp(-mean).sum(
        axis=1, keepdims=True)) / variance
    np.testing.assert_allclose(model.predict(X, verbose=0), counts / counts.sum(
        axis=1, keepdims=True), atol=1e-5)


@pytest.mark.parametrize("select", ["last", "all"])
def test_draws_that_nobody_reads_are_left_out(select):
    """A loop that reads variables would stay in the graph of the averaged answer."""
    model = Laplace(MLP((3,), (6,), 3), select=select, allow_untrained=True)
    model.build((None, 3))
    graph = tf.function(lambda x: model.draw(x, 4, noise.key(0))).get_concrete_function(
        tf.TensorSpec([None, 3])).graph
    assert {op.type for op in graph.get_operations() if "While" in op.type} == {
        "StatelessWhile"}


def test_files_and_checkpoints_bring_the_posterior(tmp_path):
    network = _dense(ROWS[:4, :3])
    model = _fitted(network=network, checkpoint_dir=tmp_path / "c")
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert not loaded.allow_untrained
    assert loaded.log_marginal_likelihood() == model.log_marginal_likelihood()
    again = _fitted(np.zeros_like(X), network=network, checkpoint_dir=tmp_path / "c")
    for other in (loaded, again):  # The pass that has ended is not made again.
        np.testing.assert_array_equal(other.sample_outputs(X, 2, seed=1),
                                      model.sample_outputs(X, 2, seed=1))


@pytest.mark.parametrize("options, words", [
    ({"select": "first"}, "select='first'"),
    ({"structure": "tridiagonal"}, "structure='tridiagonal'"),
    ({"select": "all", "structure": "full"}, "for all layers"),
    ({"prior_scale": -1.0}, "prior_scale=-1.0"),
    ({"network": MLP((3,), (6,), 3)}, "a trained network"),
    ({"likelihood": "poisson"}, "likelihood=Poisson"),
])
def test_wrong_arguments_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        Laplace(**{"network": _dense(ROWS[:4, :3]), **options})


def test_wrong_calls_are_refused():
    model = Laplace(_dense(ROWS[:4, :3]), prior_scale=[1.0, 2.0])
    with pytest.raises(ValueError, match="one scale of the prior, or 1"):
        model.fit(X, LABELS)
    model = Laplace(_dense(ROWS[:4, :3]))
    with pytest.raises(ValueError, match="epochs=3"):
        model.fit(X, LABELS, epochs=3)
    with pytest.raises(ValueError, match="call `fit"):
        model.predict_uncertainty(X)
    several = Laplace(_dense(ROWS[:4, :3]), Gaussian(learn_noise=True))
    with pytest.raises(ValueError, match="one output if the noise is learnt"):
        several.fit(X, ROWS[:, :3], verbose=0)
    with pytest.raises(ValueError, match="one target a row"):
        Laplace(_dense(ROWS[:4, :3]), Bernoulli()).fit(X, np.ones((40, 3), int))
