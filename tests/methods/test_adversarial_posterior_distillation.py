"""Adversarial posterior distillation."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.methods import SGLD
from bdlzoo.methods import AdversarialPosteriorDistillation as APD

L = keras.layers
RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(side, 0.5, (10, 2)) for side in (-2, 2)]).astype(
    "float32")
Y = np.repeat([0, 1], 10)


def _network():
    return keras.Sequential([keras.Input((2,)), L.Dense(5, "relu"), L.Dense(2)])


def _model(**kwargs):
    options = {"mode": "gan", "width": 16, "latent": 4, "gan_batch": 16, "num_kept": 50,
               "num_samples": 10, "seed": 0, **kwargs}
    model = APD(_network(), **options)
    model.compile(keras.optimizers.SGD(0.05))
    return model


def _fit(model, steps):
    rows = tf.data.Dataset.from_tensors((X, Y)).repeat()
    model.fit(rows, steps_per_epoch=steps, num_data=len(X), verbose=0)
    return model


@pytest.fixture(scope="module")
def distilled():
    """Offline: a sampler of the toy, and a generator of its samples."""
    sampler = SGLD(_network(), burn_in=100, thinning=5, num_kept=200, seed=0)
    sampler.compile(keras.optimizers.SGD(0.05))
    _fit(sampler, 1100)
    model = APD.from_sampler(sampler, width=32, latent=8, num_samples=50)
    model.distill(sampler.kept_samples(), steps=1000, verbose=0)
    return sampler, model


@pytest.mark.slow
def test_generated_networks_are_as_good_as_the_samples(distilled):
    """T8.9, the toy."""
    sampler, model = distilled
    scores = [m.predict_uncertainty(X).label == Y for m in (sampler, model)]
    assert np.mean(scores[1]) > np.mean(scores[0]) - 0.01
    alone = np.mean(np.argmax(model.sample_outputs(X, 50), -1) == Y)
    assert alone > 0.9  # Chance is one half.


@pytest.mark.slow
def test_generated_networks_disagree_and_one_noise_is_one_network(distilled):
    """T8.8."""
    _, model = distilled
    away = np.array([[-4.0, 4.0], [4.0, -4.0]], "float32")
    assert model.predict_uncertainty(away).mutual_information.min() > 0.01
    same = tf.repeat(model.gan(tf.zeros([1, 8])), 5, axis=0)
    draws = model.flat.outputs(lambda places: tf.gather(same, places), 5, away)
    found = model.likelihood.prediction(draws).mutual_information
    np.testing.assert_allclose(found, 0.0, atol=1e-6)


@pytest.mark.slow
def test_draws_are_the_generated_networks(distilled):
    _, model = distilled
    key = noise.key(3, noise.PREDICT)
    vectors = model.gan.generate(3, key)
    network = _network()
    draws = model.sample_outputs(X, 3, seed=3)
    for vector, draw in zip(vectors, draws):
        network.set_weights([w.numpy() for w in model.flat.unflatten(vector)])
        np.testing.assert_allclose(network(X), draw, rtol=1e-4, atol=1e-5)


def test_online_the_generator_begins_with_the_first_sample():
    model = _model(burn_in=10, thinning=2, distill_every=3)
    start = [v.numpy() for v in model.trainable_variables]
    assert start == []  # Not built yet.
    _fit(model, 9)
    before = [v.numpy() for v in model.gan.variables]
    assert int(model.num_learnt) == 0
    with pytest.raises(ValueError, match="at least one training step"):
        model.predict(X, verbose=0)
    model.compile(model.optimizer, steps_per_execution=1)
    _fit(model, 6)  # Samples after steps 12 and 14; steps 13 and 16 are thirds.
    assert int(model.num_stored) == 2 and int(model.num_learnt) == 1
    assert any(not np.array_equal(a, b) for a, b in zip(before, model.gan.variables))
    np.testing.assert_allclose(model.gan.center, model.kept_samples().mean((0, 1)),
                               atol=1e-6)
    assert model.predict(X, verbose=0).shape == (20, 2)


def test_the_generator_sees_samples_that_were_kept_and_no_others():
    model = _model(num_kept=4, num_chains=2)
    seen = []
    learn = lambda real, key: seen.append(real) or model.gan.no_logs()  # noqa: E731
    _fit(model, 1)
    model.gan.learn = learn
    model.num_stored.assign(3)
    marks = np.arange(8.0).reshape(4, 2, 1) * np.ones(model.flat.size)
    model.samples.assign(marks)
    for step in range(8):  # A step takes some of them.
        model._step(noise.key(0, step))
    assert seen[0].shape == (16 * model.gan.critic_steps, model.flat.size)
    assert set(np.unique(seen)) == {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}
    counted = float(model.gan.num_seen)
    model._write(tf.constant(False))  # A state that is not kept, as on replicas.
    assert float(model.gan.num_seen) == counted > 0


def test_only_generator_and_likelihood_are_served(tmp_path):
    model = _fit(_model(), 3)
    served = tf.saved_model.load(model.export(tmp_path))
    shapes = [tuple(v.shape) for v in served.variables]
    assert (model.flat.size, 16) not in shapes  # The critic's first kernel.
    assert (16, model.flat.size) in shapes
    assert tuple(model.samples.shape) not in shapes


def test_running_statistics_cannot_be_generated():
    network = keras.Sequential([keras.Input((2,)), L.Dense(3),
                                L.BatchNormalization(), L.Dense(2)])
    with pytest.raises(ValueError, match="LayerNormalization.*batch_normalization"):
        APD(network).build((None, 2))
    for options in (dict(gan_batch=0), dict(distill_every=0)):
        [(name, value)] = options.items()
        with pytest.raises(ValueError, match=f"{name}={value}"):
            _model(**options)
