"""The data folder: standard folds kept, and errors that say what to do."""

import os

import numpy as np
import pytest

from bdlzoo.data import class_names, describe, load

needs_data = pytest.mark.skipif(
    not os.environ.get("BDLZOO_DATA_DIR"),
    reason="BDLZOO_DATA_DIR does not name a folder with the real sets")


def _uci(num_rows=40, folds=2):
    rng = np.random.default_rng(0)
    orders = np.stack([rng.permutation(num_rows) for _ in range(folds)])
    return {"X": rng.normal(5.0, 3.0, (num_rows, 3)),
            "y": np.arange(num_rows, dtype="float64"),
            "train_idx": orders[:, 4:], "test_idx": orders[:, :4]}


def _write(folder, file, **arrays):
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **arrays)


def _targets(folder, split, **options):
    """The row numbers of a split: they were its targets."""
    mean, std = describe("uci/a", data_dir=folder, **options).target_scale
    y = load("uci/a", split, data_dir=folder, **options).y
    return np.rint(y * std + mean).astype(int).tolist()


@pytest.mark.parametrize("fold", [0, 1])
def test_folds_are_those_of_the_file(tmp_path, fold):
    arrays = _uci()
    _write(tmp_path, "uci/a.npz", **arrays)
    assert _targets(tmp_path, "test", fold=fold) == list(arrays["test_idx"][fold])
    train, validation = (_targets(tmp_path, split, fold=fold, validation=0.25)
                         for split in ("train", "validation"))
    assert len(train) == 27 and len(validation) == 9
    assert sorted(train + validation) == sorted(arrays["train_idx"][fold])


def test_uci_statistics_are_those_of_the_training_rows(tmp_path):
    arrays = _uci()
    _write(tmp_path, "uci/a.npz", **arrays)
    x, y = load("uci/a", data_dir=tmp_path)
    np.testing.assert_allclose(x.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose([y.mean(), y.std()], [0, 1], atol=1e-6)
    rows = _targets(tmp_path, "train")
    description = describe("uci/a", data_dir=tmp_path)
    np.testing.assert_allclose(
        description.target_scale, (np.mean(rows), np.std(rows)), rtol=1e-6)
    assert description[:3] == ("real", (3,), None)


def test_targets_may_have_columns(tmp_path):
    arrays = _uci()
    arrays["y"] = np.stack([arrays["y"], -2 * arrays["y"]], axis=1)
    _write(tmp_path, "uci/a.npz", **arrays)
    assert load("uci/a", "test", data_dir=tmp_path).y.shape == (4, 2)
    mean, _ = describe("uci/a", data_dir=tmp_path).target_scale
    np.testing.assert_allclose(mean[1], -2 * mean[0])


@pytest.mark.parametrize("fold", [2, -1, None])
def test_unknown_fold_names_the_folds(tmp_path, fold):
    _write(tmp_path, "uci/a.npz", **_uci())
    with pytest.raises(ValueError, match="from 0 to 1 .*Received: fold="):
        load("uci/a", data_dir=tmp_path, fold=fold)


def _without(key):
    return {k: v for k, v in _uci().items() if k != key}


def _with(key, index, value):
    arrays = _uci()
    arrays[key][index] = value
    return arrays


@pytest.mark.parametrize("arrays, words", [
    (_without("train_idx"), r"keys .*no \['train_idx'\]"),
    (_with("X", (3, 1), np.nan), "finite numbers in 'X'"),
    (_with("y", 3, np.inf), "finite numbers in 'y'"),
    ({**_uci(), "y": np.zeros(39)}, "as many rows as y"),
    ({**_uci(), "X": np.zeros((0, 3))}, "rows in 'X'"),
    ({**_uci(), "y": np.array(["a"] * 40)}, "finite numbers in 'y'"),
    ({**_uci(), "y": np.array([None] * 40)}, "plain arrays"),
    ({**_uci(), "train_idx": np.array([np.arange(9), np.arange(8)], object)},
     "folds of one length"),
    (_with("test_idx", (0, 0), 40), "row numbers below 40"),
    (_with("test_idx", (0, 0), _uci()["train_idx"][0, 0]), "1 of them repeated"),
    ({**_uci(), "train_idx": np.arange(36)}, "a row for each fold"),
])
def test_malformed_file_is_refused_with_the_reason(tmp_path, arrays, words):
    _write(tmp_path, "uci/a.npz", **arrays)
    with pytest.raises(ValueError, match=f"{words}|Received: path=.*{words}"):
        load("uci/a", data_dir=tmp_path)


@pytest.mark.parametrize("content", [b"", b"no zip file", b"PK\x03\x04 cut off"])
def test_damaged_file_is_refused_with_the_reason(tmp_path, content):
    _write(tmp_path, "uci/a.npz", **_uci())
    (tmp_path / "uci/a.npz").write_bytes(content)
    with pytest.raises(ValueError, match="an npz file of plain arrays"):
        load("uci/a", data_dir=tmp_path)


@pytest.mark.parametrize("name, file", [
    ("uci/b", "uci/b.npz"), ("usps", "plain/usps.npz"),
    ("notmnist", "plain/notmnist_small_10k.npz"),
    ("cifar10_grey", "plain/cifar10bw_test.npz")])
def test_missing_file_says_what_and_where(tmp_path, monkeypatch, name, file):
    monkeypatch.delenv("BDLZOO_DATA_DIR", raising=False)
    _write(tmp_path, "uci/a.npz", **_uci())
    for folder in (tmp_path, tmp_path / "nowhere", None):
        with pytest.raises(FileNotFoundError) as caught:
            load(name, "test", data_dir=folder)
        message = str(caught.value)
        assert file in message and "set BDLZOO_DATA_DIR" in message
        assert len(message.splitlines()) <= 4
        if folder:
            assert str(folder / file) in message
    if name == "uci/b":
        with pytest.raises(FileNotFoundError, match=r"place: \['a'\]"):
            load(name, data_dir=tmp_path)


def test_variable_names_the_folder(tmp_path, monkeypatch):
    _write(tmp_path, "uci/a.npz", **_uci())
    monkeypatch.setenv("BDLZOO_DATA_DIR", str(tmp_path))
    assert load("uci/a", "test").x.shape == (4, 3)


def _images(count=20, dtype="uint8"):
    x = np.linspace(0, 255 if dtype == "uint8" else 1, count * 4)
    return x.reshape(count, 2, 2).astype(dtype), np.arange(count) % 10


def test_usps_keeps_its_test_rows(tmp_path):
    (x, y), (x_test, y_test) = _images(20, "float32"), _images(7, "float32")
    _write(tmp_path, "plain/usps.npz", x_train=x, y_train=y, x_test=x_test,
           y_test=y_test)
    test = load("usps", "test", data_dir=tmp_path)
    np.testing.assert_array_equal(test.x[..., 0], x_test)
    np.testing.assert_array_equal(test.y, y_test)
    parts = [load("usps", split, validation=0.25, data_dir=tmp_path)
             for split in ("train", "validation")]
    assert [len(part.y) for part in parts] == [15, 5]
    both = np.concatenate([part.x for part in parts])
    np.testing.assert_array_equal(both[both[:, 0, 0, 0].argsort()][..., 0], x)
    with pytest.raises(ValueError, match="`validation` to more than 0 rows"):
        load("usps", "validation", validation=0, data_dir=tmp_path)


@pytest.mark.parametrize("name, file", [
    ("notmnist", "plain/notmnist_small_10k.npz"),
    ("cifar10_grey", "plain/cifar10bw_test.npz")])
def test_test_only_sets_have_nothing_to_train_on(tmp_path, name, file):
    x, y = _images()
    _write(tmp_path, file, x=x, y=y)
    test = load(name, "test", data_dir=tmp_path)
    np.testing.assert_allclose(test.x[..., 0], x / 255, rtol=1e-6)
    assert test.x.dtype == np.float32 and test.y.dtype == np.int32
    assert describe(name, data_dir=tmp_path) == ("classes", (2, 2, 1), 10, None)
    for split in ("train", "validation"):
        with pytest.raises(ValueError, match="has only 'test'"):
            load(name, split, data_dir=tmp_path)


@pytest.mark.parametrize("x, y, words", [
    (_images()[0].astype("float32"), _images()[1], r"in \[0, 1\]"),
    (_images()[0], np.full(20, 10), "labels 0 to 9"),
    (_images()[0][0], _images()[1], "images"),
])
def test_malformed_images_are_refused(tmp_path, x, y, words):
    _write(tmp_path, "plain/notmnist_small_10k.npz", x=x, y=y)
    with pytest.raises(ValueError, match=words):
        load("notmnist", "test", data_dir=tmp_path)


@needs_data
def test_real_sets_have_their_known_sizes():
    assert load("uci/bostonHousing", "test", fold=19).x.shape == (51, 13)
    mean, std = describe("uci/bostonHousing", validation=0).target_scale
    assert abs(mean - 22.5) < 0.5 and abs(std - 9.2) < 0.5
    assert load("usps", "test").x.shape == (2007, 16, 16, 1)
    assert np.bincount(load("notmnist", "test").y).tolist() == [1000] * 10
    assert load("cifar10_grey", "test").x.shape == (10000, 28, 28, 1)


@needs_data
def test_constant_columns_of_real_sets_stay_finite():
    assert abs(load("uci/naval-propulsion-plant").x).max() < 10


def _camvid(folder, **changes):
    rng, arrays = np.random.default_rng(0), {}
    for split, count in (("train", 6), ("val", 2), ("test", 3)):
        arrays[f"x_{split}"] = rng.integers(0, 256, (count, 6, 8, 3), "uint8")
        arrays[f"y_{split}"] = rng.integers(0, 12, (count, 6, 8)).astype("uint8")
    _write(folder, "plain/camvid_96x128.npz", **{**arrays, **changes})
    return arrays


def test_camvid_has_its_own_splits_and_masks_stay_with_their_images(tmp_path):
    arrays = _camvid(tmp_path)
    for split, word in (("validation", "val"), ("test", "test")):
        x, y = load("camvid", split, data_dir=tmp_path)
        np.testing.assert_allclose(x, arrays[f"x_{word}"] / 255, rtol=1e-6)
        np.testing.assert_array_equal(y, arrays[f"y_{word}"])
    x, y = load("camvid", data_dir=tmp_path)
    for image, mask in zip(np.rint(255 * x), y):
        [row] = np.flatnonzero((arrays["x_train"] == image).all(axis=(1, 2, 3)))
        np.testing.assert_array_equal(mask, arrays["y_train"][row])
    assert describe("camvid", data_dir=tmp_path)[:3] == ("classes", (6, 8, 3), 11)
    assert class_names("camvid", data_dir=tmp_path)[:2] == ("sky", "building")


def test_camvid_is_resized_with_its_masks(tmp_path):
    arrays = _camvid(tmp_path)
    x, y = load("camvid", "test", data_dir=tmp_path, size=(3, 4))
    assert x.shape == (3, 3, 4, 3) and x.max() <= 1
    np.testing.assert_array_equal(y, arrays["y_test"][:, 1::2, 1::2])
    assert describe("camvid", data_dir=tmp_path, size=(3, 4)).input_shape == (3, 4, 3)


@pytest.mark.parametrize("changes, words", [
    ({"y_train": np.zeros((6, 6, 7), "uint8")}, "masks .* of their size"),
    ({"y_train": np.full((6, 6, 8), 12, "uint8")}, "labels 0 to 11")])
def test_malformed_camvid_is_refused(tmp_path, changes, words):
    _camvid(tmp_path, **changes)
    with pytest.raises(ValueError, match=words):
        load("camvid", data_dir=tmp_path)
