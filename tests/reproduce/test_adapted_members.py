"""Tests of copies of the last block."""

import numpy as np
import pytest

from bdlzoo.core.class_prediction import ClassPrediction
from tools.reproduce import adapted_members


class Model:
    """Says what it is told: two members that part by how bright an image is."""

    def predict_uncertainty(self, x):
        level = np.mean(x, axis=(1, 2, 3))
        first = np.eye(10)[np.arange(len(x)) % 10] * 0.9 + 0.01
        second = (1 - level[:, None]) * first + level[:, None] * 0.1
        return ClassPrediction(np.log(np.stack([first, second])).astype("float32"))


def test_ratio_is_that_of_the_means(monkeypatch):
    asked = {}

    def adapted(seed, network, name, **options):
        asked.update(options)
        return Model()

    monkeypatch.setattr(adapted_members, "adapted", adapted)
    # Brighter than the digits, some more than others.
    bright = np.linspace(0.6, 1.0, 50)[:, None, None, None]
    monkeypatch.setattr(
        adapted_members, "outside_sets",
        lambda names, x, seed: {names[0]: np.ones_like(x) * bright})
    found = adapted_members.run(name="digits", count=50, num_members=7)
    assert asked["num_members"] == 7 and asked["posterior"] == "mixture_of_deltas"
    assert found["disagreement_outside"] > found["disagreement"] > 0
    assert found["ratio"] == pytest.approx(
        found["disagreement_outside"] / found["disagreement"])
    assert found["auroc"] == 1.0
    assert found["nll"] > 0 and 0 <= found["accuracy"] <= 1


@pytest.mark.slow
@pytest.mark.parametrize("posterior", ["mixture_of_deltas", "mixture_of_gaussians"])
def test_members_are_trained_and_asked(posterior):
    found = adapted_members.run(
        posterior=posterior, num_members=3, name="digits", outside="digits", count=60,
        network="perceptron", epochs=3)
    assert found["accuracy"] > 0.5 and found["disagreement"] > 0
    assert found["ratio"] > 0
