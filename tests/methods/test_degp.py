"""Tests of an ensemble as the posterior of a Gaussian process."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import low_rank_normal, noise
from bdlzoo.methods import DEGP

X = np.linspace(-1, 1, 8, dtype="float32")[:, None]
Y = np.sin(3 * X)


@keras.saving.register_keras_serializable(package="tests")
def rising(inputs, draws):
    """Mean fall of functions between neighbours on the line."""
    order = tf.argsort(inputs[:, 0])
    steps = tf.gather(draws, order, axis=1)
    return tf.reduce_mean(tf.nn.relu(steps[:, :-1] - steps[:, 1:]))


def _network(outputs=1, width=16, inputs=1):
    return keras.Sequential([keras.Input((inputs,)),
                             keras.layers.Dense(width, "tanh"),
                             keras.layers.Dense(outputs)])


def _model(likelihood="gaussian", outputs=1, rate=0.01, **options):
    options = {"num_members": 4, "num_points": 4, "num_kernel_networks": 3,
               "box": (-2.0, 2.0), "seed": 0, **options}
    model = DEGP(_network(outputs), likelihood, **options)
    model.compile(keras.optimizers.Adam(rate), steps_per_execution=1)
    return model


def _steps(model, x, y, count):
    data = tf.data.Dataset.from_tensors((x, y)).repeat()
    return model.fit(data, steps_per_epoch=count, num_data=len(x),
                     verbose=0).history


def test_without_prior_the_loss_is_error_of_the_mean_and_variance():
    """E_q (y - f)**2 = (y - mean)**2 + variance, jitter aside."""
    model = _model(kl_weight=0.0, jitter=0.0, num_train_samples=20_000, num_points=0)
    model.build((None, 1))
    logs, _ = model.objective(tf.constant(X), tf.constant(Y), None, None)
    outputs = model.outputs(X[None]).numpy()
    squares = (outputs.mean(axis=0) - Y)**2 + outputs.var(axis=0)
    expected = 0.5 * squares.mean() + 0.5 * np.log(2 * np.pi)
    np.testing.assert_allclose(logs["nll"], expected, rtol=0.01)
    np.testing.assert_array_equal(logs["loss"], logs["nll"])


def test_loss_is_the_bound_with_the_divergence_of_all_points():
    model = _model(kl_weight=0.5, num_points=5)
    model.build((None, 1))
    model.num_data.assign(20.0)
    logs, found = model.objective(tf.constant(X), tf.constant(Y), None, None)
    np.testing.assert_allclose(logs["loss"], logs["nll"] + 0.5 * logs["kl"] / 20,
                               rtol=1e-6)
    key = noise.key(0, noise.TRAIN, 0, 0)
    points = model._measurement_points(tf.constant(X), noise.fold_in(key, 0))
    assert points.shape == (13, 1)
    np.testing.assert_array_equal(points[:8], X)
    kernel = model._prior(points, noise.fold_in(key, 1))
    law = low_rank_normal.of_members(model.outputs(points[None]), 0.05)
    np.testing.assert_allclose(
        logs["kl"], law.kl(low_rank_normal.with_jitter(kernel, 0.05)), rtol=1e-5)
    np.testing.assert_allclose(found[0], model.outputs(X[None]), atol=1e-6)


def test_posterior_of_a_linear_function_is_the_conjugate_one():
    """One weight and an offset: at its best the bound finds the exact process."""
    network = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model = DEGP(network, {"type": "gaussian", "noise_scale": 0.5}, num_members=8,
                 num_points=8, box=(-2.0, 2.0), weight_variance=1.0,
                 bias_variance=1.0, jitter=1e-3, seed=1, num_train_samples=32)
    model.compile(keras.optimizers.Adam(0.02))
    y = X + 0.5
    _steps(model, X, y, 600)
    at = np.array([[-2.0], [0.0], [2.0]], "float32")
    outputs = model.outputs(at[None]).numpy()[..., 0]
    wide, wide_at = (np.concatenate([x, np.ones_like(x)], axis=1) for x in (X, at))
    covariance = np.linalg.inv(np.eye(2) + wide.T @ wide / 0.25)
    mean = wide_at @ covariance @ (wide.T @ y[:, 0]) / 0.25
    std = np.sqrt(np.einsum("nd,nd->n", wide_at @ covariance, wide_at))
    np.testing.assert_allclose(outputs.mean(axis=0), mean, atol=0.08)
    np.testing.assert_allclose(outputs.std(axis=0), std, rtol=0.25)


def test_draws_are_functions_with_the_moments_of_the_members():
    model = _model()
    model.build((None, 1))
    draws = model.sample_outputs(X, 20_000, seed=3).numpy()[..., 0]
    outputs = model.outputs(X[None]).numpy()[..., 0]
    np.testing.assert_allclose(draws.mean(axis=0), outputs.mean(axis=0), atol=0.03)
    np.testing.assert_allclose(draws.var(axis=0), 1.05 * outputs.var(axis=0),
                               rtol=0.05)
    covariance = np.cov(outputs.T, bias=True)
    std = outputs.std(axis=0)  # The jitter of a draw moves all points together.
    np.testing.assert_allclose(np.cov(draws.T), covariance + 0.05 * np.outer(std, std),
                               atol=0.05 * covariance.max())


def test_temperature_divides_logits_and_leaves_real_outputs():
    hot, plain = (_model("categorical", 3, output_temperature=t) for t in (2.0, 1.0))
    for model in (hot, plain):
        model.build((None, 1))
    np.testing.assert_allclose(2.0 * hot.sample_outputs(X, 4, seed=0),
                               plain.sample_outputs(X, 4, seed=0), rtol=1e-5)
    hot, plain = (_model(output_temperature=t) for t in (2.0, 1.0))
    for model in (hot, plain):
        model.build((None, 1))
    np.testing.assert_array_equal(hot.sample_outputs(X, 4, seed=0),
                                  plain.sample_outputs(X, 4, seed=0))


def test_temperature_is_learnt_where_it_should_be():
    for learn in (True, False):
        model = _model("categorical", 3, learn_temperature=learn)
        model.build((None, 1))
        model.train_step((tf.constant(X), tf.range(8) % 3))
        assert (model.log_temperature.numpy() != 0.0) == learn


def test_box_is_the_range_of_what_was_seen():
    model = _model(box=None)
    wide = np.concatenate([[[-3.0]], X, [[5.0]]]).astype("float32")
    given = _model(box=(-2.0, 2.0), num_points=500)
    for each in (model, given):
        each.build((None, 1))
        for rows in (wide[:5], wide[5:]):
            points = each._measurement_points(tf.constant(rows), noise.key(0, 0))
    np.testing.assert_array_equal(model.edges[0], [[-3.0], [5.0]])
    np.testing.assert_array_equal(given.edges[0], [[-2.0], [2.0]])
    assert -2 < np.min(points[5:]) < -1.9 and 1.9 < np.max(points[5:]) < 2


def test_box_has_edges_for_each_feature():
    model = DEGP(_network(inputs=2), "gaussian", num_members=2, num_points=400,
                 box=([0.0, -5.0], [1.0, 5.0]), seed=0)
    model.build((None, 2))
    points = model._measurement_points(tf.zeros([1, 2]), noise.key(0, 0))[1:]
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    np.testing.assert_allclose([low, high], [[0, -5], [1, 5]], atol=0.1)


@pytest.mark.slow
def test_constraint_makes_functions_rise():
    falling = -X + 0.3 * np.sin(9 * X)
    free, bound = (_model({"type": "gaussian", "noise_scale": 0.3}, rate=0.02,
                          kl_weight=0.1, constraint=constraint,
                          constraint_weight=200.0) for constraint in (None, rising))
    grid = np.linspace(-2, 2, 50, dtype="float32")[:, None]
    falls = {}
    for model in (free, bound):
        history = _steps(model, X, falling, 200)
        draws = model.sample_outputs(grid, 50, seed=0).numpy()[..., 0]
        falls[model] = np.maximum(draws[:, :-1] - draws[:, 1:], 0).sum(axis=1).mean()
    assert "penalty" in history
    assert falls[free] > 1.0 and falls[bound] < 0.1


def test_saved_file_keeps_box_temperature_and_constraint(tmp_path):
    model = _model("categorical", 3, box=None, constraint=rising)
    _steps(model, X, np.arange(8) % 3, 2)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert loaded.constraint is rising
    np.testing.assert_array_equal(loaded.edges[0], [[-1.0], [1.0]])
    assert loaded.log_temperature.numpy() == model.log_temperature.numpy() != 0.0
    np.testing.assert_array_equal(loaded.sample_outputs(X, 4, seed=1),
                                  model.sample_outputs(X, 4, seed=1))


def test_kernel_that_is_not_positive_definite_is_explained():
    model = _model()
    model.build((None, 1))
    model._prior = lambda points, key: -tf.eye(12)
    with pytest.raises(ValueError, match="positive definite: raise `jitter`"):
        model.fit(X, Y, batch_size=8, verbose=0)


def test_what_cannot_be_a_function_of_a_row_is_refused():
    norm = keras.Sequential([keras.Input((1,)), keras.layers.Dense(4),
                             keras.layers.BatchNormalization(),
                             keras.layers.Dense(1)])
    with pytest.raises(ValueError, match="LayerNormalization.*BatchNorm"):
        DEGP(norm, "gaussian").build((None, 1))
    probable = {"type": "categorical", "from_logits": False}
    with pytest.raises(ValueError, match="ends in logits"):
        _model(probable, 3).build((None, 1))


@pytest.mark.parametrize("options, words", [
    (dict(own_order=True), "own_order=True"),
    (dict(jitter=-1.0), "jitter=-1.0"),
    (dict(num_points=-1), "num_points=-1"),
    (dict(output_temperature=0.0), "output_temperature=0.0")])
def test_wrong_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        _model(**options)


def test_box_without_inside_is_refused():
    with pytest.raises(ValueError, match=r"box=\(1.0, 1.0\)"):
        _model(box=(1.0, 1.0)).build((None, 1))
