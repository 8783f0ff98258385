"""Predictions by kept samples."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.methods import SGLD
from tests.families import quadratic


def _model(steps=5, **kwargs):
    options = {"num_kept": 8, "seed": 0, **kwargs}
    model = SGLD(quadratic.network(1), "gaussian", **options)
    model.compile(keras.optimizers.SGD(0.05), metrics=[])
    if steps:
        model.fit(quadratic.forever(1), steps_per_epoch=steps, num_data=1, verbose=0)
    else:
        model.build((None, 1))
    return model


@keras.saving.register_keras_serializable(package="tests")
class Noisy(keras.layers.Layer):
    """Trains by default, as augmentations do."""

    def call(self, inputs, training=True):
        return -inputs if training else inputs


def _samples_of(layer):
    """Networks of kept samples, each equal to its draw, with a layer inside."""
    network = keras.Sequential([
        keras.Input((2,)), keras.layers.Dense(3), layer, keras.layers.Dense(2)])
    model = SGLD(network, num_kept=4, seed=0)
    model.compile(keras.optimizers.SGD(0.1))
    x = np.random.default_rng(0).normal(size=(16, 2)).astype("float32")
    model.fit(x, (x[:, 0] > 0).astype(int), batch_size=4, verbose=0)
    networks = [model.sample(index) for index in range(4)]
    for draw, network in zip(model.sample_outputs(x, 4), networks):
        np.testing.assert_allclose(network(x, training=False), draw, atol=1e-5)
    return networks


X = np.array([[1.0], [3.0]], "float32")


def test_draws_are_the_samples_and_few_are_far_apart():
    model = _model(steps=8, num_chains=2)
    samples = model.kept_samples()[..., 0]  # [8, 2]
    order = np.array([0, 4, 2, 6, 1, 5, 3, 7])
    expected = samples[order].reshape(-1)
    np.testing.assert_allclose(model.sample_outputs(X, 16)[:, 0, 0], expected,
                               rtol=1e-6)
    np.testing.assert_allclose(model.sample_outputs(X, 3)[:, 1, 0],
                               3 * expected[:3], rtol=1e-6)
    np.testing.assert_allclose(model.predict(X, verbose=0)[:, 0],
                               samples.mean() * X[:, 0], rtol=1e-5)
    np.testing.assert_allclose(model.sample(5)(X), expected[5] * X, rtol=1e-6)


def test_few_samples_come_again_in_turn_but_are_not_asked_for_twice():
    model = _model(steps=3)
    draws = np.asarray(model.sample_outputs(X))[:, 0, 0]
    assert draws.shape == (8,)
    np.testing.assert_array_equal(draws, np.tile(draws[:3], 3)[:8])
    assert len(set(draws)) == 3
    with pytest.raises(ValueError, match="at most 3 samples.*num_samples=4"):
        model.sample_outputs(X, 4)
    with pytest.raises(ValueError, match="num_samples=4"):
        model.sample(3)


def test_nothing_is_predicted_before_a_sample_was_kept(tmp_path):
    model = _model(steps=4, burn_in=50)
    for ask in (lambda: model.predict(X, verbose=0),
                lambda: model.predict_uncertainty(X),
                lambda: model.sample_outputs(X, 2),
                lambda: model.evaluate(X, X, verbose=0),
                lambda: model.export(tmp_path / "served"),
                lambda: model.sample(0)):
        with pytest.raises(ValueError, match="burn_in=50.*4 steps"):
            ask()
    assert not (tmp_path / "served").exists()
    # Validation while it burns in looks at the chain as it is.
    logs = model.fit(quadratic.forever(1), steps_per_epoch=4, num_data=1, verbose=0,
                     validation_data=(X, X)).history
    [weight] = model.network.parts()
    errors = (X - X * weight.numpy().item()) ** 2 / 2 + 0.5 * np.log(2 * np.pi)
    np.testing.assert_allclose(logs["val_nll"], errors.mean(), rtol=1e-5)


def test_samples_of_elsewhere_are_spread_over_what_there_is_room_for():
    model = _model(steps=0)
    model.set_samples(np.arange(71, dtype="float32").reshape(71, 1, 1))
    np.testing.assert_array_equal(model.kept_samples().ravel(), np.arange(8) * 10)
    model.set_samples(np.ones((2, 1, 1)))
    np.testing.assert_array_equal(model.kept_samples().ravel(), [1, 1])
    for wrong in (np.ones((2, 1)), np.ones((0, 1, 1)), np.ones((2, 2, 1))):
        with pytest.raises(ValueError, match="shape"):
            model.set_samples(wrong)


def test_a_server_refuses_more_than_is_kept(tmp_path):
    served = tf.saved_model.load(_model(steps=3).export(tmp_path)).signatures
    ask = dict(inputs=tf.constant(X), seed=tf.constant([[0, 0]]))
    assert served["samples"](num_samples=tf.constant([3]), **ask)[
        "samples"].shape[0] == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="at most as many"):
        served["predict"](num_samples=tf.constant([4]), **ask)


def test_statistics_of_batches_belong_to_a_sample():
    """Each sample keeps the moving averages that it was seen with."""
    networks = _samples_of(keras.layers.BatchNormalization())
    means = [n.layers[1].moving_mean.numpy() for n in networks]
    assert not np.allclose(means[0], means[1])


def test_layers_that_train_unless_told_are_told():
    """Keras' augmentations are random if a call does not say `training=False`."""
    _samples_of(Noisy())


def test_samples_of_a_network_with_python_code():
    _samples_of(keras.layers.Lambda(lambda t: 2.0 * t))
