"""Tests of the perceptron against outside sets, on the digits."""

import numpy as np
import pytest

from bdlzoo import data
from bdlzoo.evaluation.detection import detection
from bdlzoo.evaluation.outside_sets import outside_sets
from bdlzoo.evaluation.uncertainty_scores import judge, uncertainty_scores
from tools.reproduce import mnist_mlp, mnist_outside

SMALL = dict(name="digits", epochs=30, hidden=(32, 32))


def _expected(x, score):
    model = mnist_mlp.trained(0, "digits", 30, (32, 32), 0)
    known = data.load("digits", "test", validation=0).x
    return detection(*(uncertainty_scores(*judge(model, rows), [score])[score]
                       for rows in (known, x)))


@pytest.mark.parametrize("score, scale, shift", [
    ("max_probability", 1.0, 0.0), ("entropy", 5.0, -0.5)])
def test_scores_are_those_of_the_outside_set_scaled_and_shifted(
        score, scale, shift):
    known = data.load("digits", "test", validation=0).x
    x = np.float32(scale) * outside_sets(["uniform"], known)["uniform"]
    found = mnist_outside.run(outside="uniform", score=score, scale=scale,
                              shift=shift, **SMALL)
    assert found == _expected(x + np.float32(shift), score)


def test_permuted_digits_are_told_better_than_by_chance():
    found = mnist_outside.run(outside="permuted", **SMALL)
    assert found["auroc"] > 0.7 and found["aupr_in"] > 0.6 and found["fpr95"] < 0.9


def test_a_set_that_does_not_fit_is_refused_before_training(monkeypatch):
    monkeypatch.setattr(mnist_mlp, "trained", lambda *_: pytest.fail("trained"))
    with pytest.raises(ValueError, match="'moons'"):
        mnist_outside.run(outside="moons", **SMALL)
