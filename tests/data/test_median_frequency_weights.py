"""Weights of classes by median frequency."""

import numpy as np
import pytest

from bdlzoo.data import median_frequency_weights


def test_weights_are_those_of_a_small_case():
    # Class 1 is in the first image alone, class 2 in both, class 3 nowhere.
    y = np.array([[[0, 0, 0, 1], [2, 2, 9, 9]], [[0, 0, 0, 0], [0, 0, 2, 2]]])
    frequency = {0: 9 / 14, 1: 1 / 6, 2: 4 / 14}
    median = 4 / 14
    found = median_frequency_weights(y, 4, ignore_class=9)
    assert list(found) == [0, 1, 2, 3] and found[3] == 0.0
    for label, share in frequency.items():
        assert found[label] == pytest.approx(median / share)


def test_equal_frequencies_weigh_the_same():
    found = median_frequency_weights(np.arange(6).reshape(1, 2, 3) % 3, 3)
    assert found == {0: 1.0, 1: 1.0, 2: 1.0}


def test_what_is_no_class_and_an_image_without_labels_are_refused():
    y = np.array([[[0, 1]], [[9, 9]]])
    with pytest.raises(ValueError, match="labels from 0 to 9"):
        median_frequency_weights(y, 2)
    with pytest.raises(ValueError, match="labelled pixel.*1 such images, .*index 1"):
        median_frequency_weights(y, 2, ignore_class=9)
