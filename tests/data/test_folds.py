"""All folds at once are the folds one by one."""

import numpy as np
import pytest

from bdlzoo.data import describe, load, load_folds


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    orders = np.stack([rng.permutation(40) for _ in range(3)])
    (tmp_path / "uci").mkdir()
    np.savez(tmp_path / "uci/a.npz", X=rng.normal(5.0, 3.0, (40, 2)),
             y=np.arange(40.0), train_idx=orders[:, 4:], test_idx=orders[:, :4])
    return tmp_path


def test_row_i_is_of_fold_i_modulo_their_number(folder):
    found = load_folds("uci/a", validation=0.25, data_dir=folder)
    for name, split in found.splits.items():
        for fold in range(3):
            one = load("uci/a", name, fold=fold, validation=0.25, data_dir=folder)
            np.testing.assert_array_equal(split.x[fold::3], one.x)
            np.testing.assert_array_equal(split.y[fold::3], one.y)
    assert set(found.splits) == {"train", "validation", "test"}
    assert found.target_scales[2] == describe(
        "uci/a", fold=2, validation=0.25, data_dir=folder).target_scale


def test_some_folds_may_be_asked_for_and_twice(folder):
    found = load_folds("uci/a", folds=[2, 2], data_dir=folder)
    train = load("uci/a", fold=2, validation=0, data_dir=folder)
    assert set(found.splits) == {"train", "test"} and len(found.target_scales) == 2
    np.testing.assert_array_equal(found.splits["train"].x[1::2], train.x)


def test_repeats_have_the_rows_of_their_fold_in_an_order_of_their_own(folder):
    once, twice = (load_folds("uci/a", repeats=n, data_dir=folder).splits
                   for n in (1, 2))
    for fold in range(3):
        first, other = (twice["train"].y[2 * fold + r::6] for r in (0, 1))
        np.testing.assert_array_equal(first, once["train"].y[fold::3])
        np.testing.assert_array_equal(np.sort(other), np.sort(first))
        assert (other != first).any()
        np.testing.assert_array_equal(twice["test"].y[2 * fold + 1::6],
                                      once["test"].y[fold::3])


def test_sets_without_folds_are_refused():
    with pytest.raises(ValueError, match="a data set with folds"):
        load_folds("digits")
