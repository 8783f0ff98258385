"""Tests of the sets that a model was not made for."""

import os

import numpy as np
import pytest

from bdlzoo import data
from bdlzoo.data.fit_images import fit_images
from bdlzoo.evaluation import outside_sets as module
from bdlzoo.evaluation.outside_sets import outside_sets

needs_data = pytest.mark.skipif(
    not os.environ.get("TFDS_DATA_DIR") or not os.environ.get("BDLZOO_DATA_DIR"),
    reason="TFDS_DATA_DIR or BDLZOO_DATA_DIR does not name a folder with data")
KNOWN = np.random.default_rng(0).uniform(size=(400, 6, 6, 1)).astype("float32")


def test_noise_has_the_law_that_its_name_says():
    sets = outside_sets(["gaussian", "uniform"], KNOWN)
    for x in sets.values():
        assert x.shape == KNOWN.shape and x.dtype == np.float32
    # Four standard errors of 14,400 numbers.
    normal, flat = sets["gaussian"], sets["uniform"]
    assert abs(normal.mean()) < 0.034 and abs(normal.std() - 1) < 0.024
    assert normal.min() < -2.5 and normal.max() > 2.5  # Not clipped.
    assert 0 < flat.min() < 0.01 and 0.99 < flat.max() < 1
    assert abs(flat.mean() - 0.5) < 0.01
    # No two sets are one noise in two forms.
    assert abs(np.corrcoef(normal.ravel(), flat.ravel())[0, 1]) < 0.04


def test_permuted_images_keep_their_pixels_each_in_its_own_order():
    images = np.arange(2 * 16, dtype="float32").reshape(2, 4, 4, 1) / 32
    found = outside_sets(["permuted"], images)["permuted"]
    np.testing.assert_array_equal(np.sort(found.reshape(2, -1)),
                                  images.reshape(2, -1))
    assert not np.array_equal(found[0], found[1] - 0.5)


def test_a_seed_gives_the_same_sets_and_another_one_others():
    names = ["gaussian", "uniform", "permuted"]
    first, again = outside_sets(names, KNOWN), outside_sets(names, KNOWN)
    other = outside_sets(names, KNOWN, seed=1)
    for name in names:
        np.testing.assert_array_equal(first[name], again[name])
        assert not np.array_equal(first[name], other[name])


def test_bundled_images_are_made_to_fit():
    found = outside_sets(["digits"], KNOWN)["digits"]
    whole = data.load("digits", "test", validation=0).x
    np.testing.assert_array_equal(found, fit_images(whole, (6, 6, 1)))


def test_count_takes_a_fair_choice_of_rows():
    whole = outside_sets(["digits"], KNOWN)["digits"]
    some = outside_sets(["digits", "gaussian", "permuted"], KNOWN, count=50)
    assert [len(x) for x in some.values()] == [50, 50, 50]
    place = [np.flatnonzero((whole == row).all(axis=(1, 2, 3)))[0]
             for row in some["digits"]]
    assert len(set(place)) == 50 and max(place) > len(whole) / 2
    # By default no more than there are known rows.
    assert len(outside_sets(["digits"], KNOWN[:30])["digits"]) == 30


def test_scale_multiplies_all_that_is_outside():
    names = ["gaussian", "uniform", "permuted", "digits"]
    plain, five = (outside_sets(names, KNOWN, scale=s) for s in (1.0, 5.0))
    for name in names:
        np.testing.assert_array_equal(five[name], np.float32(5) * plain[name])


def test_vectors_take_noise_and_sets_of_their_length(monkeypatch):
    vectors = np.random.default_rng(0).normal(size=(100, 30)).astype("float32")
    sets = outside_sets(["breast_cancer", "permuted", "gaussian"], vectors)
    assert [x.shape[1] for x in sets.values()] == [30, 30, 30]
    monkeypatch.setattr(module.data, "load", lambda *_, **__: pytest.fail("ran"))
    with pytest.raises(ValueError, match=r"'moons' with inputs of shape \(2,\)"):
        outside_sets(["breast_cancer", "moons"], vectors)
    with pytest.raises(ValueError, match="'digits' with inputs of shape"):
        outside_sets(["digits"], vectors)


def test_what_does_not_fit_is_refused_before_anything_runs(monkeypatch):
    monkeypatch.setattr(module.data, "load", lambda *_, **__: pytest.fail("ran"))
    with pytest.raises(ValueError, match=r"'moons' with inputs of shape \(2,\)"):
        outside_sets(["digits", "moons"], KNOWN)
    with pytest.raises(ValueError, match="'digits' with inputs of shape"):
        outside_sets(["digits"], np.repeat(KNOWN, 2, axis=-1))
    with pytest.raises(ValueError, match="values from 0.0 to 255.0"):
        outside_sets(["digits"], 255 * KNOWN.round())
    with pytest.raises(ValueError, match="did you mean 'digits'"):
        outside_sets(["digit"], KNOWN)
    with pytest.raises(ValueError, match="count=0"):
        outside_sets(["uniform"], KNOWN, count=0)
    with pytest.raises(ValueError, match="names='uniform'"):
        outside_sets("uniform", KNOWN)


@needs_data
def test_real_sets_come_by_name_grey_and_small():
    known = np.zeros([64, 28, 28, 1], "float32")
    sets = outside_sets(["kmnist", "notmnist", "cifar10"], known)
    for x in sets.values():
        assert x.shape == known.shape and x.min() >= 0 and x.max() > 0.9
