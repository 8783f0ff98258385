"""The terms of CAT read the labels of the source and those of the teacher."""

import numpy as np
import pytest

from bdlzoo import ExponentialRise
from bdlzoo.families.class_centroids import centroid_loss
from bdlzoo.families.cluster_alignment import ClusterAlignment
from bdlzoo.families.cluster_loss import cluster_loss
from tests.families.domains import Stub, pair

SOURCE = np.array([[0, 0, 1], [1, 0, 0], [0, 3, 0], [4, 3, 0]], "float32")
LABELS, GUESSED = np.array([0, 0, 1, 1], "int32"), np.array([0, 2, 0, 1], "int32")


def test_terms_are_the_losses_of_both_domains():
    part = ClusterAlignment(5.0, ExponentialRise(10, 20))
    teacher = 3.0 * np.eye(3)[GUESSED]
    found = part.terms(Stub(), pair(SOURCE, LABELS, 2 * SOURCE, teacher, step=20))
    clusters = cluster_loss(SOURCE, LABELS, 5.0) + cluster_loss(
        2 * SOURCE, GUESSED, 5.0)
    gaps = centroid_loss(SOURCE, LABELS, 2 * SOURCE, GUESSED, 3)
    for name, value in (("cluster", clusters), ("centroids", gaps)):
        weight, loss = found[name]
        np.testing.assert_allclose(loss, value, rtol=1e-6)
        np.testing.assert_allclose(weight, np.exp(-5.0), rtol=1e-5)


def test_margin_must_be_positive():
    with pytest.raises(ValueError, match="margin=0"):
        ClusterAlignment(0)
