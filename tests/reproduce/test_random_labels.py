"""Random labels, on the digits: their law, and what the KL keeps from happening."""

import numpy as np
import pytest

from bdlzoo import data
from tools.reproduce import random_labels


def _run(**options):
    return random_labels.run(**{**dict(
        name="digits", num_train=300, epochs=60, hidden=(64, 64), rate=0.01,
        init_scale=0.02), **options})


def test_labels_are_uniform_fixed_by_the_seed_and_other_on_the_test_set():
    many = random_labels.labels(50_000, seed=0)
    counts = np.bincount(many, minlength=10)
    assert len(counts) == 10 and np.abs(counts - 5000).max() < 4 * 67.1
    np.testing.assert_array_equal(many[:200], random_labels.labels(200, 0))
    for other in (random_labels.labels(50_000, 1), random_labels.labels(50_000, 0, 1)):
        assert np.mean(many == other) == pytest.approx(0.1, abs=0.01)


@pytest.mark.slow
def test_only_the_kl_keeps_a_network_from_learning_noise_by_heart():
    held, free = _run(), _run(kl_weight=0.0)
    assert held["train_loss"] == pytest.approx(np.log(10), abs=0.02)
    assert held["test_loss"] == pytest.approx(np.log(10), abs=0.02)
    assert held["train_accuracy"] < 0.2
    assert free["train_accuracy"] > 0.9 and free["train_loss"] < 1.0
    assert free["test_loss"] > 3.0 and 0.05 < free["test_accuracy"] < 0.15
    assert abs(held["kl"]) < 0.02 * free["kl"]


@pytest.mark.slow
def test_true_labels_are_never_seen(monkeypatch):
    """With true labels the test set would be easy."""
    seen = []
    fit = random_labels.MeanFieldVI.fit

    def spy(self, x, y, **options):
        seen.append((x, y))
        return fit(self, x, y, **options)

    monkeypatch.setattr(random_labels.MeanFieldVI, "fit", spy)
    _run(epochs=1, num_train=200)
    [(x, y)] = seen
    images, truth = data.load("digits", "train", seed=0, validation=0)
    np.testing.assert_allclose(x, images[:200] - images[:200].mean(axis=0))
    np.testing.assert_array_equal(y, random_labels.labels(200, 0))
    assert np.mean(y == truth[:200]) < 0.25
