"""Flipped labels: which, and who finds them."""

import numpy as np
import pytest

from tools.reproduce import mislabelled_rows


def test_flipped_labels_are_other_classes():
    y = np.arange(500) % 10
    labels, wrong = mislabelled_rows.flipped(y, 0.1, 10, seed=3)
    assert wrong.sum() == 50 and ((labels != y) == wrong).all()
    assert labels.min() >= 0 and labels.max() <= 9
    again, _ = mislabelled_rows.flipped(y, 0.1, 10, seed=3)
    np.testing.assert_array_equal(labels, again)


def test_self_influence_finds_more_than_chance():
    options = dict(name="digits", num_train=300, side=14, epochs=20, num_samples=2)
    own = mislabelled_rows.run(**options)
    assert own["found"] >= 0.6 and own["found_in_tenth"] <= own["found"]
    assert mislabelled_rows.run(ranking="random", **options)["found"] < 0.6
    with pytest.raises(ValueError, match="ranking='age'"):
        mislabelled_rows.run(ranking="age")
