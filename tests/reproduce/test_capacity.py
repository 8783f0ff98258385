"""Labels and images without a rule, on the digits."""

import numpy as np
import pytest

from bdlzoo.core import noise
from tools.reproduce import capacity

KEY = noise.key(0, noise.ORDER, 20)


def test_share_of_the_labels_is_drawn_and_fixed_by_the_key():
    y = np.arange(5000) % 10
    for share in (0.0, 0.4, 1.0):
        labels = capacity.corrupted(y, share, 10, KEY)
        # A tenth of the drawn labels is right by chance.
        assert np.mean(labels != y) == pytest.approx(0.9 * share, abs=0.03)
        np.testing.assert_array_equal(labels, capacity.corrupted(y, share, 10, KEY))
        if share:  # What is drawn says nothing of which rows are.
            drawn = labels[labels != y]
            shares = np.bincount(drawn, minlength=10) / len(drawn)
            np.testing.assert_allclose(shares, 0.1, atol=0.03)


def test_pixels_change_places_in_the_same_way_for_all():
    x = np.arange(3 * 16.0).reshape(3, 4, 4, 1)
    moved = capacity.shuffled(x, KEY)
    np.testing.assert_array_equal(moved[1] - moved[0], np.full([4, 4, 1], 16.0))
    assert sorted(moved[0].ravel()) == list(range(16)) and (moved[0] != x[0]).any()


def test_random_labels_take_longer_and_are_fit(tmp_path):
    options = dict(name="digits", num_train=60, num_test=100, side=None, hidden=(64,),
                   rate=5e-3, batch_size=30, epochs=60)
    true = capacity.run(**options)
    noisy = capacity.run(corruption=1.0, **options)
    assert true["train_accuracy"] == noisy["train_accuracy"] == 1.0
    assert true["steps"] < noisy["steps"] <= 120 and "rademacher" not in true
    assert true["test_error"] < 0.5 < noisy["test_error"]


@pytest.mark.slow
def test_a_linear_model_fits_fewer_signs_of_more_rows():
    few, many = (capacity.run(kind="signs", name="digits", hidden=(), num_train=count,
                              side=None, rate=0.01, epochs=60)["rademacher"]
                 for count in (50, 800))
    assert 0 <= many < 0.6 < few <= 1
    with pytest.raises(ValueError, match="kind='colours'"):
        capacity.run(kind="colours")
