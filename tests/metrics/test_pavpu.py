"""PAvPU on cases that can be counted by hand."""

import numpy as np
import pytest

from bdlzoo.metrics import pavpu

RIGHT = np.array([[[1, 1, 0, 0], [1, 1, 0, 0]]], bool)
DOUBT = np.array([[[0.1, 0.1, 0.9, 0.9], [0.1, 0.1, 0.9, 0.9]]])


def test_sure_where_right_and_unsure_where_wrong_is_one():
    assert pavpu(RIGHT, DOUBT, patch=2) == {
        "pavpu": 1.0, "accurate_if_certain": 1.0, "uncertain_if_inaccurate": 1.0}
    assert pavpu(RIGHT, -DOUBT, patch=2)["pavpu"] == 0.0


def test_counts_of_patches_by_hand():
    right = np.array([[[1, 0, 1, 1, 0]]], bool)
    doubt = np.array([[[0.2, 0.7, 0.8, 0.1, 0.3]]])
    found = pavpu(right, doubt, threshold=0.5, patch=1)
    assert found["pavpu"] == 3 / 5  # Two right and sure, one wrong and unsure.
    assert found["accurate_if_certain"] == 2 / 3
    assert found["uncertain_if_inaccurate"] == 1 / 2


def test_a_patch_with_half_of_its_pixels_right_is_inaccurate():
    right = np.array([[[1, 0], [1, 0]]], bool)
    found = pavpu(right, np.zeros((1, 2, 2)), threshold=0.5, patch=2)
    assert found["pavpu"] == 0.0 and found["accurate_if_certain"] == 0.0


def test_pixels_that_do_not_count_change_nothing():
    counts = np.array([[[1, 1, 1, 0], [1, 0, 1, 1]]], bool)
    other = np.where(counts, DOUBT, 1e9)
    assert pavpu(RIGHT, other, patch=2, counts=counts) == pavpu(
        RIGHT, DOUBT, threshold=0.5, patch=2)
    nothing = pavpu(RIGHT, DOUBT, patch=2, counts=np.zeros_like(RIGHT), threshold=0.0)
    assert np.isnan(list(nothing.values())).all()


def test_other_shapes_are_refused():
    for wrong in (dict(right=RIGHT[:, :1]), dict(patch=3)):
        with pytest.raises(ValueError, match="Received: shapes="):
            pavpu(**{"right": RIGHT, "uncertainty": DOUBT, **wrong})
