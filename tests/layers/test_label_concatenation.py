"""Labels stand beside features, at every place of an image."""

import keras
import numpy as np
import pytest

from bdlzoo.layers import LabelConcatenation

LABELS = np.eye(3, dtype="float32")[[2, 0]]


def test_labels_stand_behind_the_features():
    x = np.arange(8.0, dtype="float32").reshape(2, 4)
    found = LabelConcatenation()([x, LABELS])
    np.testing.assert_array_equal(found, np.concatenate([x, LABELS], axis=1))


def test_labels_stand_at_every_place():
    x = np.random.default_rng(0).normal(size=(2, 4, 5, 2)).astype("float32")
    found = np.asarray(LabelConcatenation()([x, LABELS]))
    assert found.shape == (2, 4, 5, 5)
    np.testing.assert_array_equal(found[..., :2], x)
    for row in range(2):
        assert (found[row, :, :, 2:] == LABELS[row]).all()
    inputs = [keras.Input((4, 5, 2)), keras.Input((3,))]
    assert LabelConcatenation()(inputs).shape == (None, 4, 5, 5)


def test_other_inputs_are_refused():
    with pytest.raises(ValueError, match=r"a pair.*labels \[B, K\]"):
        LabelConcatenation()([np.zeros((2, 4)), np.zeros((2,))])
