"""Few labels: the experiments on bundled digits, and the settings of their tables."""

import numpy as np
import pytest

from bdlzoo import data
from tools.reproduce import (
    consistency,
    consistency_cifar10,
    consistency_moons,
    label_efficiency,
)

SMALL = dict(name="digits", num_steps=6, ramp_steps=2, batch_size=32, filters=(4, 4),
             hidden=8)


def test_scores_of_a_line():
    scores = consistency.run(0, "teacher", outside="digits", num_labels=20, **SMALL)
    assert set(scores) == {"error", "ece", "auroc", "draws_error", "draws_ece",
                           "draws_auroc"}
    # The outside set is the test set itself.
    assert scores["auroc"] == pytest.approx(0.5)
    assert set(consistency.TABLE.metrics) <= set(scores)


@pytest.mark.slow
@pytest.mark.parametrize("method", list(consistency.METHODS))
def test_every_method_runs_on_photographs_too(method):
    scores = consistency_cifar10.run(0, method, num_labels=20, **SMALL)
    assert set(consistency_cifar10.TABLE.metrics) <= set(scores)


def test_draws_are_those_of_the_trained_student():
    model = consistency.trained(0, "teacher", num_labels=20, **SMALL)
    draws = consistency.by_draws(model, 4)
    for a, b in zip(draws.network.get_weights(), model.network.get_weights()):
        np.testing.assert_array_equal(a, b)
    x = data.load("digits", "test").x[:8]
    assert float(np.max(draws.predict_uncertainty(x).mutual_information)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("strategy", list(label_efficiency.STRATEGIES))
def test_curve_has_a_point_for_each_number_of_labels(strategy):
    scores = label_efficiency.run(0, strategy, counts=(20, 30), num_candidates=50,
                                  **SMALL)
    assert list(scores) == ["accuracy_20", "accuracy_30"]


def test_asking_adds_labels_and_keeps_those_it_had():
    model = consistency.trained(0, "supervised", num_labels=20, **SMALL)
    y = data.load("digits", "train").y
    before = data.keep_labels(y, 20, 0)
    after = label_efficiency.asked(model, "digits", before, y, 33, 100, 0)
    assert (after >= 0).sum() == 33
    np.testing.assert_array_equal(after[before >= 0], before[before >= 0])
    np.testing.assert_array_equal(after[after >= 0], y[after >= 0])


def test_maps_of_the_moons():
    found = consistency_moons.maps(num_steps=2, size=5)
    assert set(found["panels"]) == {"supervised", "Pi-model", "mean teacher"}
    assert found["panels"]["Pi-model"].shape == (5, 5)
    assert len(found["labelled"]) == 6 and np.bincount(found["classes"]).tolist() == [
        3, 3]
