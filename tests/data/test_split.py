"""Rows are dealt out once, by the seed, and statistics come from training."""

import numpy as np
import pytest

from bdlzoo.data.split import choose, deal, standardise


@pytest.mark.parametrize("validation", [0, 0.0, 0.25, 7])
@pytest.mark.parametrize("test", [0.0, 0.2])
def test_splits_share_no_row_and_cover_all(validation, test):
    rows = deal(103, 0, validation, test)
    together = np.concatenate(list(rows.values()))
    np.testing.assert_array_equal(np.sort(together), np.arange(103))


def test_sizes_are_shares_of_what_is_left():
    sizes = {k: len(v) for k, v in deal(100, 0, 0.25, 0.2).items()}
    assert sizes == {"test": 20, "validation": 20, "train": 60}
    assert len(deal(100, 0, 7, 0.2)["validation"]) == 7


def test_rows_follow_the_seed():
    first, again, other = deal(50, 3, 0.2), deal(50, 3, 0.2), deal(50, 4, 0.2)
    np.testing.assert_array_equal(first["train"], again["train"])
    assert set(first["validation"]) != set(other["validation"])


def test_test_rows_do_not_know_the_validation_share():
    np.testing.assert_array_equal(
        deal(50, 0, 0.5, 0.2)["test"], deal(50, 0, 0, 0.2)["test"])


def test_whole_float_is_a_count():
    """As a config gives it, where the default is a fraction."""
    for name, rows in deal(103, 0, 7).items():
        np.testing.assert_array_equal(deal(103, 0, 7.0)[name], rows)


@pytest.mark.parametrize("validation", [-0.1, 1.0, -1, 10, 10.0, 2.5, True, "some",
                                        None, float("nan"), float("inf")])
def test_impossible_validation_is_refused(validation):
    with pytest.raises(ValueError, match="below 10.*Received: validation="):
        deal(10, 0, validation)


@pytest.mark.parametrize("seed", [None, -1, 0.5])
def test_seed_must_be_an_integer(seed):
    with pytest.raises(ValueError, match="Received: seed="):
        deal(10, seed, 0.1)


def test_asking_for_an_empty_split_says_why():
    with pytest.raises(ValueError, match="`validation` to more than 0 rows"):
        choose(deal(10, 0, 0), "validation", "digits")
    with pytest.raises(ValueError, match="has only 'test'"):
        choose({}, "train", "notmnist")


def test_standardising_uses_training_rows_only():
    values = np.array([[1.0], [3.0], [1000.0]])
    scaled, (mean, std) = standardise(values, [0, 1])
    np.testing.assert_array_equal(scaled, [[-1.0], [1.0], [998.0]])
    assert (mean, std) == (2.0, 1.0) and scaled.dtype == np.float32


def test_constant_column_stays_finite():
    # The mean of many 0.1 is not 0.1: their std is tiny, and not zero.
    values = np.full((1000, 1), 0.1)
    assert values.std() != 0
    assert abs(standardise(values, np.arange(1000))[0]).max() < 1e-6
