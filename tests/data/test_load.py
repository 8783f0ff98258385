"""Names find their reader, and a wrong name or option is told so."""

import time

import pytest

from bdlzoo.data import class_names, describe, load
from bdlzoo.data.split import Split


def test_result_is_a_named_pair():
    data = load("digits")
    x, y = data
    assert isinstance(data, Split) and x is data.x and y is data.y


def test_classes_have_names_or_numbers():
    assert class_names("digits") == tuple("0123456789")
    assert class_names("breast_cancer") == ("malignant", "benign")
    assert class_names("diabetes") is None
    assert class_names("fashion_mnist")[:2] == ("T-shirt/top", "Trouser")


@pytest.mark.parametrize("typo, meant", [
    ("minst", "'mnist'"), ("MNIST", "'mnist'"), ("digit", "'digits'"),
    ("notmnis", "'notmnist'"), ("cifar-10", "'cifar10'"), ("mons", "'moons'")])
def test_typo_gets_its_close_matches_soon(tmp_path, monkeypatch, typo, meant):
    def refuse(*_, **__):
        raise AssertionError("a typo must not reach the network")
    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    start = time.monotonic()
    for ask in (load, describe):
        with pytest.raises(ValueError, match=f"{meant}.*Received: name='{typo}'"):
            ask(typo, data_dir=tmp_path)
    assert time.monotonic() - start < 10


def test_typo_of_a_set_in_the_folder_finds_it(tmp_path):
    (tmp_path / "hospital_beds").mkdir()
    with pytest.raises(ValueError, match="'hospital_beds'"):
        load("hospital_bed", data_dir=tmp_path)


def test_name_like_no_other_lists_the_bundled_sets(tmp_path):
    with pytest.raises(ValueError, match="bundled are .*'digits'"):
        load("zzzzqqqq", data_dir=tmp_path)


@pytest.mark.parametrize("name, known", [
    ("digits", r"\[\]"), ("moons", "'noise'"), ("uci/yacht", "'fold'"),
    ("usps", r"\[\]"), ("mnist", "'mask'")])
def test_unknown_option_names_the_known_ones(name, known):
    for ask in (load, describe):
        with pytest.raises(ValueError, match=f"{known}.*Received: folds=1"):
            ask(name, folds=1)


def test_unknown_split_is_refused():
    with pytest.raises(ValueError, match="'validation'.*Received: split='val'"):
        load("digits", "val")


def test_names_of_classes_take_the_options_of_the_splits():
    assert class_names("scenes", seed=1, validation=8, num_train=20)[0] == "background"
    with pytest.raises(ValueError, match="Received: noise=1"):
        class_names("scenes", noise=1)
