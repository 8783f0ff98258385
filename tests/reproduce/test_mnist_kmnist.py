"""Tests of softmax, MC dropout and ODIN against another set, on the digits."""

import numpy as np
import pytest

from bdlzoo import data
from bdlzoo.evaluation.detection import detection
from bdlzoo.evaluation.odin import odin_scores
from bdlzoo.evaluation.outside_sets import outside_sets
from bdlzoo.evaluation.uncertainty_scores import judge, uncertainty_scores
from tools.reproduce import mnist_kmnist

SMALL = dict(name="digits", outside="permuted", tuned_on="uniform", epochs=2,
             num_samples=5, num_tuned=50)


def _sets():
    known = data.load("digits", "test").x
    return known, outside_sets(["permuted"], known)["permuted"]


@pytest.mark.parametrize("method, score, draws", [
    ("mcp", "max_probability", 1), ("mc_dropout", "max_probability", 5),
    ("entropy", "entropy", 5), ("mutual_information", "mutual_information", 5)])
def test_methods_are_scores_of_one_network(method, score, draws):
    noisy, still = mnist_kmnist._trained(0, "digits", 2)
    model = still if method == "mcp" else noisy
    expected = detection(*(
        uncertainty_scores(*judge(model, x, draws), [score])[score]
        for x in _sets()))
    assert mnist_kmnist.run(method=method, **SMALL) == {**expected, "epsilon": 0.0}
    assert still.network is noisy.network


def test_step_of_odin_is_chosen_on_other_rows_and_another_set(monkeypatch):
    seen = []

    def choose(model, known, strange):
        seen.append((known, strange))
        return 0.125

    monkeypatch.setattr(mnist_kmnist, "choose_epsilon", choose)
    found = mnist_kmnist.run(method="odin", **SMALL)
    [(known, strange)] = seen
    held = data.load("digits", "validation").x[:50]
    np.testing.assert_array_equal(known, held)
    np.testing.assert_array_equal(strange,
                                  outside_sets(["uniform"], held)["uniform"])
    _, still = mnist_kmnist._trained(0, "digits", 2)
    expected = detection(*(odin_scores(still, x, 0.125) for x in _sets()))
    assert found == {**expected, "epsilon": 0.125}


def test_a_wrong_method_and_a_peek_at_the_set_are_refused():
    with pytest.raises(ValueError, match="method='softmax'"):
        mnist_kmnist.run(method="softmax")
    with pytest.raises(ValueError, match="tuned_on='kmnist'"):
        mnist_kmnist.run(method="odin", tuned_on="kmnist")
