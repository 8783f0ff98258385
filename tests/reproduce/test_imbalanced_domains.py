"""Zeros and ones with opposite shares, on digits in place of both sets."""

import numpy as np

from bdlzoo import data
from tools.reproduce import imbalanced_domains as experiment


def test_shares_are_opposite_and_tests_have_two_classes(monkeypatch):
    calls = []

    def images(name, seed, split="train"):
        return data.load("digits", split, seed=seed, validation=0)

    def train(*args, **options):
        calls.append((args, options))
        return {}

    for function in (images, train):
        monkeypatch.setattr(experiment.domain_adaptation, function.__name__, function)
    experiment.run(seed=1, many=50, few=5, method="rev_grad")
    [((known, unknown, test, held_out, *rest), options)] = calls
    assert np.bincount(known.y).tolist() == [50, 5]
    assert np.bincount(unknown.y).tolist() == [5, 50]
    assert set(test.y) == set(held_out.y) == {0, 1}
    assert rest[:4] == [1, "rev_grad", None, 800] and options["outputs"] == 2
