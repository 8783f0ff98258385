"""Attacks on one draw, and who notices them, on the digits."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo import data
from bdlzoo.core import noise
from bdlzoo.likelihoods import Categorical
from bdlzoo.methods import SGLD, AdversarialPosteriorDistillation, MCDropout
from bdlzoo.networks import MLP
from tools.reproduce import gray_box_detection as task

TRAIN, TEST = (data.load("digits", split, validation=0)
               for split in ("train", "test"))
SMALL = dict(count=80, num_samples=4, name="digits")


def _weights():
    """Linear classifier by least squares, whose margins are about 10 nats."""
    rows = TRAIN.x.reshape(len(TRAIN.x), -1)
    rows = np.concatenate([rows, np.ones([len(rows), 1])], axis=1)
    solution = np.linalg.solve(rows.T @ rows + np.eye(65), rows.T @ np.eye(10)[TRAIN.y])
    return 10.0 * solution[:64], 10.0 * solution[64]


@functools.cache
def _model(method):
    """Draws around one network, without the time that chains take."""
    shape = TRAIN.x.shape[1:]
    if method == "mc_dropout":
        model = MCDropout(MLP(shape, (), dropout=0.3, dropout_at="all"), seed=3)
        model.build((None, *shape))
        model.network.set_weights(_weights())
        return model
    sampler = SGLD(MLP(shape, ()), num_kept=6, seed=3)
    sampler.compile(keras.optimizers.SGD(0.1))
    sampler.build((None, *shape))
    vector = np.concatenate([np.ravel(w) for w in _weights()])
    samples = vector + noise.normal([6, 1, len(vector)], noise.key(1)).numpy()
    sampler.set_samples(samples)
    if method == "sgld":
        return sampler
    model = AdversarialPosteriorDistillation.from_sampler(sampler, width=4)
    model.gan.set_statistics(samples[:, 0])
    model.num_learnt.assign(1)
    return model


@pytest.fixture
def small(monkeypatch):
    """Models of the test in the place of trained ones; the attack afresh."""
    asked = []
    monkeypatch.setattr(task, "trained", lambda seed, method, **options: (
        asked.append((seed, method, options)) or _model(method)))
    task.attacked.cache_clear()
    yield asked
    task.attacked.cache_clear()


@pytest.mark.parametrize("method", task.DETECTORS)
def test_adversary_knows_the_first_draw_whatever_the_key(method):
    model, x = _model(method), TEST.x[:5]
    network = task.FirstDraw(model)
    first, again = (network.draw(x, 7, noise.key(place)) for place in (0, 1))
    assert first.shape == (1, 5, 10)
    np.testing.assert_array_equal(first, again)
    draws = model.sample_outputs(x, 4)
    np.testing.assert_allclose(first[0], draws[0], rtol=1e-4, atol=1e-4)
    assert abs(draws[1] - draws[0]).numpy().max() > 0.1
    np.testing.assert_array_equal(network.labels(x), np.argmax(draws[0], -1))
    if method == "sgld":
        np.testing.assert_allclose(first[0], model.sample(0)(x), rtol=1e-4, atol=1e-4)


class _Linear:
    """Logits `[x_1 + 2 x_2, 0.75]`, as a model with one draw."""

    likelihood, seed = Categorical(), 0

    def draw(self, inputs, num_samples, key):
        score = tf.reduce_sum(inputs * [1.0, 2.0], axis=-1)
        return tf.stack([score, 0.75 * tf.ones_like(score)], axis=-1)[None]


def test_smallest_radius_is_the_margin_of_a_linear_network():
    """A score falls by 3 radii, by 1 of them once the second input is 0."""
    x = np.array([[0.5, 0.5], [0.8, 0.05], [0.5, 0.23]], "float32")
    network, y = task.FirstDraw(_Linear()), np.zeros(3, int)
    found = task.smallest_fgsm(network, x, y)
    # Margins 0.75, 0.15 and 0.21; the second one falls by 0.15, 3 times 0.05.
    np.testing.assert_allclose(abs(found - x).max(axis=1), [0.251, 0.051, 0.071],
                               atol=1.01e-3)
    assert (network.labels(found) == 1).all()
    nearer = x + np.sign(found - x) * (abs(found - x) - 2.1e-3)
    assert (network.labels(nearer) == 0).all()
    short = task.smallest_fgsm(network, x, y, radii=(0.01, 0.1))
    assert network.labels(short).tolist() == [0, 1, 1]
    np.testing.assert_allclose(x[0] - short[0], [0.1, 0.1], rtol=1e-5)
    np.testing.assert_allclose(x[1] - short[1], [0.1, 0.05], rtol=1e-5)


@pytest.mark.parametrize("source, attack", [
    ("sgld", "pgd"), ("scaled", "fgsm")])
def test_what_is_kept_has_fooled_the_one_network(small, source, attack):
    """And that was right before; images are every other test image."""
    plain = _model("mc_dropout").network if source == "scaled" else (
        _model("sgld").sample(0))
    x, y = TEST.x[:160:2], TEST.y[:160:2]
    right = np.argmax(plain(x), -1) == y
    assert 0 < right.sum() < len(y)
    found = task.attacked(0, source, attack, 80, name="digits")
    assert found.x.min() >= 0 and found.x.max() <= 1
    assert (np.argmax(plain(found.x), -1) != found.y).all()
    assert len(found.x) == len(found.y) == round(found.fooled * right.sum()) > 0
    gaps = abs(found.x[:, None] - x[right][None]).max(axis=(2, 3, 4))
    nearest = gaps.argmin(axis=1)
    np.testing.assert_array_equal(y[right][nearest], found.y)
    if attack == "pgd":  # Farther than a step or two, never out of the ball.
        assert 0.05 < gaps.min(axis=1).max() <= 0.15 + 1e-6
    else:
        assert found.fooled == 1.0


def test_detectors_share_an_attack_and_score_it_by_all_draws(small):
    """Against the pairs of a clean and an attacked image, one by one."""
    small_3 = dict(**SMALL, steps=7)
    found = task.run(3, "sgld", "mc_dropout", **small_3)
    other = task.run(3, "sgld", "sgld", **small_3)
    options = dict(name="digits", steps=7)
    assert small == [(3, "sgld", options), (3, "mc_dropout", options),
                     (3, "sgld", options)]
    assert task.attacked.cache_info().misses == 1
    attacked = task.attacked(3, "sgld", "pgd", 80, **options)
    test = data.load("digits", "test", seed=3, validation=0)
    clean, noticed = (_model("mc_dropout").predict_uncertainty(x, 4, seed=3)
                      for x in (test.x[1:160:2][:len(attacked.x)], attacked.x))
    for key, measure in (("entropy", "predictive_entropy"),
                         ("bald", "mutual_information"),
                         ("variance", "total_variance")):
        low, high = (getattr(p, measure) for p in (clean, noticed))
        pairs = high[:, None] - low[None]
        share = np.mean((pairs > 0) + 0.5 * (pairs == 0))
        np.testing.assert_allclose(found[f"{key}_auroc"], share, atol=1e-6)
    assert found["detector_accuracy"] == np.mean(noticed.label == attacked.y)
    assert found["detector_accuracy"] != other["detector_accuracy"]
    assert found["fooled"] == other["fooled"] == attacked.fooled


@pytest.mark.parametrize("change, words", [
    (dict(source="sgd"), "source='sgd'"), (dict(detector="scaled"), "detector="),
    (dict(attack="cw"), "attack='cw'"), (dict(count=0), "count=0"),
    (dict(count=5000), "half of the 359 test images. Received: count=5000")])
def test_what_cannot_be_run_is_refused(small, change, words):
    with pytest.raises(ValueError, match=words):
        task.run(**{**SMALL, **change})
