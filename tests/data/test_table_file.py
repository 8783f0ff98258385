"""Files of the user become rows, or an error that says what is wrong with them."""

import numpy as np
import pytest

from bdlzoo.data import read_table, table_splits

X = np.arange(120.0).reshape(60, 2)


def _csv(folder, *lines):
    path = folder / "rows.csv"
    path.write_text("\n".join(lines))
    return path


def test_columns_of_a_csv_file_are_inputs_but_the_target(tmp_path):
    lines = ["a,price,b", *(f"{i},{i / 7},{-i}" for i in range(60))]
    (x, y), classes = read_table(_csv(tmp_path, *lines), target="price")
    assert classes is None and y.dtype == np.float32
    np.testing.assert_array_equal(x, [[i, -i] for i in range(60)])
    np.testing.assert_allclose(y, np.arange(60) / 7, rtol=1e-6)
    (x, y), _ = read_table(_csv(tmp_path, *lines))  # The last column.
    np.testing.assert_array_equal(y, -np.arange(60.0))


def test_words_and_few_whole_numbers_are_classes(tmp_path):
    words = [("no", "yes")[i % 2] for i in range(60)]
    (_, y), classes = read_table(_csv(tmp_path, "a,b", *(
        f"{i},{word}" for i, word in enumerate(words))))
    assert classes == ("no", "yes")
    np.testing.assert_array_equal(y, np.arange(60) % 2)
    path = tmp_path / "rows.npz"
    np.savez(path, X=X, y=3.0 * (np.arange(60) % 4))
    (_, y), classes = read_table(path)
    assert classes == (0.0, 3.0, 6.0, 9.0) and y.dtype == np.int32
    (_, y), classes = read_table(path, task="real")
    assert classes is None and y.max() == 9.0


def test_splits_are_apart_and_standardised_by_training_rows(tmp_path):
    path = tmp_path / "rows.npz"
    np.savez(path, x=X, y=X[:, 0] + 0.5)
    splits, _ = table_splits(path, seed=3)
    sizes = {name: len(split.x) for name, split in splits.items()}
    assert sizes == {"train": 39, "validation": 9, "test": 12}
    np.testing.assert_allclose(splits["train"].x.mean(axis=0), 0.0, atol=1e-6)
    np.testing.assert_allclose(splits["train"].y.std(), 1.0, rtol=1e-6)
    every = np.concatenate([split.x[:, 0] for split in splits.values()])
    assert len(np.unique(every)) == 60


def test_what_cannot_be_read_is_refused(tmp_path):
    good = [f"{i},{i}" for i in range(50)]
    for lines, words in (
            (["a,b", *good, "x,1"], "'x' in column 'a', line 52"),
            (["a,b", *good, "1,2,3"], "in line 52"),
            (["a,b", *good, "1,nan"], "NaN or infinity in row 50"),
            (["a,b", *good[:5]], "at least 40"), ([], "two names")):
        with pytest.raises(ValueError, match=words):
            read_table(_csv(tmp_path, *lines))
    path = _csv(tmp_path, "a,b", *good)
    with pytest.raises(ValueError, match="name of a column"):
        read_table(path, target="c")
    with pytest.raises(ValueError, match="at least two classes"):
        read_table(path, task="classes")
    with pytest.raises(ValueError, match=r"ends in \.npz"):
        read_table(tmp_path / "rows.parquet")
    with pytest.raises(FileNotFoundError, match="there is none"):
        read_table(tmp_path / "none.csv")
    (tmp_path / "broken.npz").write_bytes(b"no zip")
    with pytest.raises(ValueError, match="numpy.savez"):
        read_table(tmp_path / "broken.npz")
    np.savez(tmp_path / "other.npz", x=X, z=X)
    with pytest.raises(ValueError, match="Expected arrays `x`"):
        read_table(tmp_path / "other.npz")
