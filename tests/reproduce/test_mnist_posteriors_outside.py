"""Posteriors against outside sets, on the digits."""

import numpy as np

from bdlzoo import data
from bdlzoo.evaluation.detection import detection
from bdlzoo.evaluation.outside_sets import outside_sets
from tools.reproduce import mnist_posteriors, mnist_posteriors_outside

SMALL = dict(name="digits", hidden=(16,), steps=420, jit_compile=False,
             num_samples=10, num_kept=5)


def test_scores_are_those_of_as_many_rows_at_their_scale():
    found = mnist_posteriors_outside.run(
        0, "mc_dropout", "uniform", scale=5.0, count=50, **SMALL)
    model = mnist_posteriors.trained(0, "mc_dropout", **SMALL)
    known = data.load("digits", "test", validation=0).x[:50]
    strange = 5 * outside_sets(["uniform"], known)["uniform"]
    measured = [np.asarray(model.predict_uncertainty(x, seed=0).mutual_information)
                for x in (known, strange)]
    expected = detection(*measured)
    assert found["bald_auroc"] == expected["auroc"]
    assert found["bald_aupr+"] == expected["aupr_out"]
    assert found["bald_aupr-"] == expected["aupr_in"]
    assert set(found) == {f"{score}_{metric}" for score in ("vr", "entropy", "bald")
                          for metric in ("auroc", "aupr+", "aupr-")}


def test_one_network_has_no_mutual_information():
    found = mnist_posteriors_outside.run(0, "sgd", "uniform", count=50, **SMALL)
    assert set(found) == {f"{score}_{metric}" for score in ("vr", "entropy")
                          for metric in ("auroc", "aupr+", "aupr-")}
