"""Rows of a file of the user.

    rows.npz    arrays `x` [N, ...] and `y` [N] (or `X` and `Y`)
    rows.csv    a line of names, then lines of numbers; one column is the target

Words as targets are classes, and so are whole numbers of few values.
"""

import csv
import pathlib

import numpy as np

from bdlzoo.core.file_error import reading
from bdlzoo.data.split import Split, deal, standardise

SUFFIXES = (".npz", ".csv")
TASKS = ("auto", "classes", "real")
_MOST_CLASSES = 20  # Distinct whole numbers that are taken for classes.
_FEWEST = 40  # Rows, below which no split is of use.


def read_table(path, target=None, task="auto"):
    """Reads inputs and targets.

    Args:
        path: Path of the file.
        target: String, name of the column of the targets in a csv file; `None` takes
            the last one.
        task: `"classes"` or `"real"`, what the targets are; `"auto"` takes words, and
            whole numbers of at most 20 values, as classes.

    Returns:
        Pair: a `Split`, with `y` int32 from 0 on for classes and float32 for real
        targets; and the tuple of the classes, `None` for real targets.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it does not hold rows of numbers.

    Example:

        np.savez("rows.npz", x=x, y=y)
        rows, classes = bdlzoo.data.read_table("rows.npz")
    """
    path = pathlib.Path(path).expanduser()
    if task not in TASKS:
        raise ValueError(f"Expected one of {TASKS}. Received: task={task!r}")
    if path.suffix not in SUFFIXES:
        raise ValueError(f"Expected a file that ends in {' or '.join(SUFFIXES)}. "
                         f"Received: path={path}")
    if not path.is_file():
        raise FileNotFoundError(f"Expected a file of rows. Received: path={path}, "
                                "where there is none")
    x, y = _of_npz(path, target) if path.suffix == ".npz" else _of_csv(path, target)
    if x.ndim < 2 or len(x) != len(y) or len(x) < _FEWEST:
        raise ValueError(
            f"Expected inputs [N, ...] and N targets, at least {_FEWEST} of them. "
            f"Received: path={path}, with shapes {x.shape} and {y.shape}")
    for name, values in (("inputs", x), ("targets", y)):
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            row = int(np.argwhere(~np.isfinite(values))[0][0])
            raise ValueError(
                f"Expected finite {name}: fill or remove missing values. Received: "
                f"path={path}, with NaN or infinity in row {row}")
    return _read(x, y, task)


def table_splits(path, target=None, task="auto", seed=0, validation=0.2, test=0.2):
    """Reads a file and deals its rows to splits, standardised by the training rows.

    Args:
        path: Path of the file.
        target: As in `read_table`.
        task: As in `read_table`.
        seed: Non-negative integer, seed of the splits.
        validation: Fraction, or count, of the rows that are not for test.
        test: Fraction of all rows.

    Returns:
        Pair: a dictionary of `Split` by name; and the tuple of the classes, `None` for
        real targets.

    Example:

        np.savez("rows.npz", x=x, y=y)
        splits, classes = bdlzoo.data.table_splits("rows.npz")
        splits["train"].x
    """
    (x, y), classes = read_table(path, target, task)
    rows = deal(len(x), seed, validation, test)
    x, _ = standardise(x, rows["train"])
    if classes is None:
        y, _ = standardise(y.reshape(len(y), -1), rows["train"])
    return {name: Split(x[places], y[places]) for name, places in rows.items()}, classes


def _read(x, y, task):
    x = x.astype("float32")
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    is_word = y.dtype.kind in "US"
    if is_word and task == "real":
        raise ValueError(f"Expected numbers as real targets. Received: {y[0]!r}")
    values = np.unique(y) if y.ndim == 1 else np.zeros(0)
    whole = not is_word and bool((y == np.round(y)).all())
    few = whole and 2 <= len(values) <= _MOST_CLASSES
    if task == "real" or task == "auto" and not (is_word or few):
        return Split(x, y.astype("float32")), None
    if len(values) < 2 or len(values) > len(y) // 2:
        raise ValueError("Expected at least two classes, with two rows each on "
                         f"average. Received: {len(values)} classes in {len(y)} rows")
    return Split(x, np.searchsorted(values, y).astype("int32")), tuple(values.tolist())


def _of_npz(path, target):
    if target is not None:
        raise ValueError("Expected no name of a column for an npz file, whose targets "
                         f"are its array `y`. Received: target={target!r}")
    with reading(path, "an npz file of plain arrays `x` and `y`",
                 "Write it by `numpy.savez(path, x=x, y=y)`."), (
            np.load(path, allow_pickle=False)) as file:
        found = {key.lower(): file[key] for key in file.files}
    missing = [key for key in "xy" if key not in found]
    if missing or found["x"].dtype.kind not in "biuf" or (
            found["y"].dtype.kind not in "biufUS"):
        raise ValueError(
            "Expected arrays `x` of numbers, and `y` of numbers or words. Received: "
            f"path={path}, with " + ", ".join(
                f"{key} of {array.dtype}" for key, array in found.items()))
    return found["x"], found["y"]


def _of_csv(path, target):
    with reading(path, "a csv file of text", "Write it in UTF-8, with commas."):
        with open(path, newline="", encoding="utf-8-sig") as file:
            names, *rows = [row for row in csv.reader(file) if row] or [[]]
    wrong = [i for i, row in enumerate(rows, 2) if len(row) != len(names)]
    if len(names) < 2 or wrong:
        raise ValueError(
            "Expected a line of at least two names, and lines with as many values. "
            f"Received: path={path}, with {len(names)} names" + (
                f" and another number of values in line {wrong[0]}" if wrong else ""))
    target = names[-1] if target is None else target
    if target not in names:
        raise ValueError(f"Expected the name of a column, one of {names}. Received: "
                         f"target={target!r}")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {
        name: () for name in names}
    words = columns.pop(target)
    x = [_numbers(path, name, values) for name, values in columns.items()]
    try:
        y = np.array([float(word) for word in words])
    except ValueError:
        y = np.array(words)
    return np.stack(x, axis=1), y


def _numbers(path, name, values):
    for line, value in enumerate(values, 2):
        try:
            float(value)
        except ValueError as error:
            raise ValueError(
                "Expected columns of numbers: encode words, such as by a column of 0 "
                f"and 1 for each. Received: path={path}, with {value!r} in column "
                f"{name!r}, line {line}") from error
    return np.array(values, "float64")
