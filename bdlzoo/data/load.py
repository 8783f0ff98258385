"""Finds a data set by its name, wherever it comes from.

    digits, moons, ...        bundled, no network (`bundled.py`)
    uci/yacht, usps, ...      files in `BDLZOO_DATA_DIR` (`folder.py`)
    metro_traffic, pickups    the same, by the hour (`hourly.py`)
    mnist, cifar10, ...       any TFDS name (`tfds_reader.py`)
"""

import difflib
import typing

from bdlzoo.data import bundled, folder, hourly, tfds_reader
from bdlzoo.data import split as splitting


class Description(typing.NamedTuple):
    """What a model must know of a data set."""

    kind: str  # "classes", "binary" or "real".
    input_shape: tuple
    num_classes: int | None
    target_scale: tuple | None  # (mean, std) that the targets had.


def load(name, split="train", seed=0, validation=0.1, data_dir=None, **options):
    """Loads one split of a data set as numpy arrays.

    A test split that comes with the set is kept, else 20 % of the rows become
    one; `validation` is cut from the training rows that are left. Statistics for
    standardising are those of the split "train". The rows of "train" are in
    random order, so that its first rows are a fair sample.

    Args:
        name: String, a bundled set, one of the data folder or a TFDS name.
        split: One of "train", "validation" and "test".
        seed: Non-negative integer; deals out the rows and draws the toys.
        validation: Fraction in `[0, 1)`, or count, of training rows held out.
        data_dir: Folder to read; `TFDS_DATA_DIR` or `BDLZOO_DATA_DIR` if `None`.
        **options: Of one set: `fold` of `uci/...`; `num_train` and `num_test` of
            the toys, `noise` of `moons`; `standardise_targets` of `diabetes`;
            `order` ("chronological" or "random") and `lags` of the hourly sets.

    Returns:
        `Split(x, y)`: `x` float32 (images `[N, H, W, C]` in `[0, 1]`), `y` int32
        for classes, float32 for real targets.

    Example:

        x, y = bdlzoo.data.load("digits")
    """
    if split not in splitting.NAMES:
        raise ValueError(
            f"Expected one of {splitting.NAMES}. Received: split={split!r}")
    reader, where = _reader(name, data_dir, options)
    return reader.load(name, split, seed=seed, validation=validation,
                       **where, **options)


def describe(name, seed=0, validation=0.1, data_dir=None, **options):
    """Describes what `load` gives for the same arguments.

    Returns:
        `Description(kind, input_shape, num_classes, target_scale)`.
    """
    reader, where = _reader(name, data_dir, options)
    if reader is not tfds_reader:  # Its description depends on no split.
        where = {"seed": seed, "validation": validation, **where}
    shape, num_classes, scale = reader.describe(name, **where, **options)
    kind = {None: "real", 2: "binary"}.get(num_classes, "classes")
    return Description(kind, tuple(shape), num_classes, scale)


def available(data_dir=None):
    """Sets that load without the network, by name, and what they are.

    Args:
        data_dir: As in `load`.
    """
    found = bundled.available()
    for reader in (folder, hourly, tfds_reader):
        found.update(reader.available(data_dir))
    return found


def class_names(name, data_dir=None, **options):
    """Names of the classes of a set, in order; `None` where targets are real.

    Numbers where the set does not name them.
    """
    reader, where = _reader(name, data_dir, {})
    num_classes = describe(name, data_dir=data_dir, **options).num_classes
    if num_classes is None:
        return None
    named = reader.class_names(name, **where) if hasattr(
        reader, "class_names") else None
    return tuple(named or map(str, range(num_classes)))


def _reader(name, data_dir, options):
    """The reader of a set, and what tells it where to look."""
    if name in bundled.NAMES:
        reader, where, known = bundled, {}, bundled.OPTIONS.get(name, ())
    elif name in folder.NAMES or name.startswith("uci/"):
        reader, where = folder, {"data_dir": data_dir}
        known = folder.OPTIONS.get(name.split("/")[0], ())
    elif name in hourly.NAMES:
        reader, where, known = hourly, {"data_dir": data_dir}, hourly.OPTIONS
    elif tfds_reader.knows(name, data_dir):
        reader, where, known = tfds_reader, {"data_dir": data_dir}, ()
    else:
        names = [*bundled.NAMES, *folder.NAMES, *hourly.NAMES,
                 *tfds_reader.names(data_dir)]
        close = difflib.get_close_matches(name.lower(), names)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else (
            f"bundled are {list(bundled.NAMES)}.")
        raise ValueError(
            "Expected a bundled set, one of the data folder or a TFDS name: "
            f"{hint} Received: name={name!r}")
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise ValueError(
            f"Expected only the options {list(known)} for '{name}'. "
            f"Received: {', '.join(f'{key}={options[key]!r}' for key in unknown)}")
    return reader, where
