"""Scores of a label curve, and a short one on MNIST."""

import math
import os

import pytest

from bdlzoo.evaluation.active_learning import Curve
from tools.reproduce import mnist_active_learning as task


def _scores(monkeypatch, labels, accuracy):
    asked = []
    monkeypatch.setattr(task, "curve", lambda *args, **options: asked.append(
        (args, options)) or Curve(labels, accuracy, [0.0] * len(labels), []))
    return task.run(3, "entropy", num_steps=7), asked


def test_scores_are_read_off_the_curve(monkeypatch):
    scores, asked = _scores(monkeypatch, [20, 100, 200, 290, 300],
                            [0.4, 0.89, 0.90, 0.88, 0.95])
    assert asked == [((3, "entropy"), {"num_steps": 7})]
    assert scores == {
        "labels_to_90": 200.0, "accuracy_20": 0.4, "accuracy_100": 0.89,
        "accuracy_200": 0.90, "accuracy_290": 0.88, "accuracy_300": 0.95}


def test_short_and_bad_curves_say_so(monkeypatch):
    scores, _ = _scores(monkeypatch, [20, 100], [0.4, 0.8])
    assert scores["labels_to_90"] == math.inf
    assert "accuracy_100" in scores and "accuracy_200" not in scores


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("TFDS_DATA_DIR"),
                    reason="TFDS_DATA_DIR does not name a folder with MNIST")
def test_mnist_is_learnt_from_few_labels():
    found = task.curve(1, "random", num_rounds=1, count=80, num_steps=120,
                       num_candidates=300, num_samples=3, filters=(8, 16),
                       hidden=64, learning_rate=3e-3)
    assert found.labels == [20, 100]
    assert found.accuracy[1] > max(0.6, found.accuracy[0])
