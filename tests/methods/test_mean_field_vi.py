"""Mean-field VI against the exact solution of a linear model."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.likelihoods import Gaussian
from bdlzoo.methods import MeanFieldVI
from bdlzoo.networks import MLP

NOISE, PRIOR = 0.5, 0.8


def _linear_data(rows=40):
    """Correlated inputs, so that the mean-field scales are not marginal ones."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=(rows, 3))
    x[:, 1] = 0.8 * x[:, 0] + 0.6 * x[:, 1]
    y = x @ [[1.0], [-0.5], [0.3]] + NOISE * generator.normal(size=(rows, 1))
    return x.astype("float32"), y.astype("float32")


def _linear_model(technique="DenseLocalReparameterization", **options):
    keras.utils.set_random_seed(0)
    network = MLP((3,), (), 1, layer=dict(type=technique, use_bias=False,
                                          prior_scale=PRIOR))
    return MeanFieldVI(network, Gaussian(NOISE), seed=0, **options)


@pytest.mark.parametrize("technique", [
    "DenseLocalReparameterization", "DenseFlipout"])
def test_linear_regression_reaches_the_exact_solution(technique):
    """Means of the posterior; variances 1 / diagonal of its *precision*."""
    x, y = _linear_data()
    model = _linear_model(technique, num_train_samples=16)
    steps = 1500
    rate = keras.optimizers.schedules.CosineDecay(0.05, steps)
    model.compile(keras.optimizers.Adam(rate), steps_per_execution=100)
    batch = tf.data.Dataset.from_tensors((x, y)).repeat()
    model.fit(batch, num_data=len(x), steps_per_epoch=steps, verbose=0)
    precision = x.T @ x / NOISE**2 + np.eye(3) / PRIOR**2
    mean = np.linalg.solve(precision, x.T @ y / NOISE**2)
    [layer] = [part for part in model.network.layers if hasattr(part, "kl")]
    np.testing.assert_allclose(layer.kernel, mean, atol=0.01)
    scale = np.diag(precision)[:, None] ** -0.5
    np.testing.assert_allclose(layer.kernel_scale(), scale, rtol=0.03)
    covariance = np.diag(np.linalg.inv(precision))[:, None] ** 0.5
    assert np.abs(layer.kernel_scale() / covariance - 1)[:2].min() > 0.1


def test_loss_is_nll_and_kl_of_all_data():
    """Duplicated data leave the mean data term and halve KL / num_data."""
    x, y = _linear_data()
    model = _linear_model(kl_weight=0.5)
    model.compile(keras.optimizers.SGD(0.0))
    model.build((None, 3))
    key = noise.key(3)
    logs = {}
    for count in (40, 80):
        model.num_data.assign(count)
        logs[count], _ = model.objective(x, y, None, key)
    np.testing.assert_allclose(logs[40]["nll"], logs[80]["nll"])
    np.testing.assert_allclose(logs[40]["kl"], logs[80]["kl"])
    np.testing.assert_allclose(logs[40]["kl_per_example"],
                               2 * logs[80]["kl_per_example"], rtol=1e-6)
    for count, log in logs.items():
        np.testing.assert_allclose(
            log["loss"], log["nll"] + 0.5 * log["kl"] / count, rtol=1e-6)


def test_kl_counts_once_whatever_the_number_of_draws():
    x, y = _linear_data()
    kl = []
    for count in (1, 5):
        model = _linear_model(num_train_samples=count)
        model.build((None, 3))
        logs, _ = model.objective(x, y, None, noise.key(0))
        kl.append(logs["kl"])
    np.testing.assert_allclose(kl[0], kl[1], rtol=1e-6)


def _shares(model, rows, num_data, steps):
    model.compile(keras.optimizers.SGD(0.0))
    model.build((None, 3))
    model.num_data.assign(num_data)
    shares = []
    for step in range(steps):
        model.optimizer.iterations.assign(step)
        shares.append(float(model.kl_share(np.zeros((rows, 3), "float32"))))
    return shares


def test_kl_warms_up_over_epochs():
    shares = _shares(_linear_model(kl_warmup=2.0), rows=10, num_data=40, steps=10)
    np.testing.assert_allclose(shares[:8], np.arange(1, 9) / 8)  # 2 x 4 batches.
    np.testing.assert_allclose(shares[8:], 1.0)


def test_geometric_shares_halve_and_have_mean_one():
    shares = _shares(_linear_model(geometric_kl=True), 10, 50, 10)
    np.testing.assert_allclose(np.mean(shares[:5]), 1.0, rtol=1e-6)
    np.testing.assert_allclose(shares[1:5], np.divide(shares[:4], 2), rtol=1e-6)
    np.testing.assert_allclose(shares[:5], shares[5:], rtol=1e-6)
    many = _shares(_linear_model(geometric_kl=True), 1, 500, 1)  # 2**500 overflows.
    np.testing.assert_allclose(many, 250.0, rtol=1e-6)


@pytest.mark.slow
def test_elbo_is_a_bound_that_is_sharp_for_orthogonal_inputs():
    """With orthogonal columns the posterior factorises: bound = evidence."""
    x = np.linalg.qr(np.random.default_rng(0).normal(size=(40, 3)))[0] * 6.0
    y = x @ [[1.0], [-0.5], [0.3]] + NOISE * np.random.default_rng(1).normal(
        size=(40, 1))
    x, y = x.astype("float32"), y.astype("float32")
    precision = x.T @ x / NOISE**2 + np.eye(3) / PRIOR**2
    model = _linear_model(num_samples=4000)
    model.compile("adam")
    model.build((None, 3))
    [layer] = [part for part in model.network.layers if hasattr(part, "kl")]
    layer.kernel.assign(np.linalg.solve(precision, x.T @ y / NOISE**2))
    layer.set_kernel_scale(np.diag(precision)[:, None] ** -0.5)
    model.num_data.assign(40)
    elbo = model.evaluate(x, y, verbose=0, return_dict=True)["elbo"]
    covariance = NOISE**2 * np.eye(40) + PRIOR**2 * x @ x.T
    _, logdet = np.linalg.slogdet(covariance)
    evidence = -0.5 * (y.T @ np.linalg.solve(covariance, y) + logdet
                       + 40 * np.log(2 * np.pi)).item()
    assert abs(elbo - evidence) < 0.15


def test_plain_network_is_refused():
    model = MeanFieldVI(MLP((3,), (), 1), "gaussian")
    with pytest.raises(ValueError, match="bayesianize"):
        model.build((None, 3))


def test_sampled_kl_differs_from_step_to_step():
    layer = dict(type="DenseFlipout", prior="ScaleMixturePrior")
    model = MeanFieldVI(MLP((3,), (), 1, layer=layer), "gaussian", seed=0)
    x, y = _linear_data()
    model.build((None, 3))
    first, second = (float(model.objective(x, y, None, noise.key(seed))[0]["kl"])
                     for seed in (0, 1))
    assert first != second


@pytest.mark.parametrize("technique", ["DenseReparameterization", "DenseFlipout"])
def test_draws_of_a_step_have_weights_of_their_own(technique):
    """One row, so that a shared draw would be seen up to its signs."""
    model = _linear_model(technique, num_train_samples=8)
    model.build((None, 3))
    [layer] = [part for part in model.network.layers if hasattr(part, "kl")]
    layer.set_kernel_scale(0.5)
    draws = model.train_draws(tf.constant([[1.0, 0.0, 0.0]]), noise.key(0))
    sizes = np.abs(draws - layer.kernel[0, 0]).round(5)
    assert len(np.unique(sizes)) == 8
