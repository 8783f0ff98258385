"""Loading of data sets by name.

    digits, moons, ...        bundled, without a download (`bundled.py`)
    scenes                    shapes that are drawn, with a class for each pixel
    uci/yacht, usps, camvid   files in `BDLZOO_DATA_DIR` (`folder.py`)
    metro_traffic, pickups    hourly counts in `BDLZOO_DATA_DIR` (`hourly.py`)
    mnist, cifar10, ...       any name of TFDS (`tfds_reader.py`)
"""

import difflib
import typing

from bdlzoo.data import bundled, folder, hourly, scenes, tfds_reader
from bdlzoo.data import split as splitting


class Description(typing.NamedTuple):
    """Properties of a data set that a model needs.

    Args:
        kind: `"classes"`, `"binary"` or `"real"`, the kind of the targets.
        input_shape: Tuple of integers, shape of one input.
        num_classes: Integer, number of classes; `None` for real targets.
        target_scale: Pair (mean, std) of the targets before they were standardised;
            `None` if they were not.
    """

    kind: str
    input_shape: tuple
    num_classes: int | None
    target_scale: tuple | None


def load(name, split="train", seed=0, validation=0.1, data_dir=None, **options):
    """Loads one split of a data set as NumPy arrays.

    If the data set has no test split, 20 % of the rows become one. The validation rows
    are taken from the remaining training rows; CamVid has validation rows of its own.
    Data are standardised by the statistics of the split "train". The rows of "train"
    are in random order, so that its first rows are a random sample.

    Args:
        name: String, name of a bundled set, of a set in the data folder, or of TFDS.
        split: `"train"`, `"validation"` or `"test"`.
        seed: Non-negative integer, seed of the splits and of the toy problems.
        validation: Fraction in `[0, 1)`, or count, of training rows held out.
        data_dir: Folder to read; `None` is the folder `TFDS_DATA_DIR` or
            `BDLZOO_DATA_DIR`.
        **options: Options of one data set: `fold` of `uci/...`; `num_train` and
            `num_test` of the toy problems, `noise` of `moons`; `standardise_targets` of
            `diabetes`; `order` ("chronological" or "random") and `lags` of the hourly
            sets; those of `draw_scenes` for `scenes`; `mask` (name of the feature with
            a class for each pixel), `size` (height and width), `num_classes` and
            `first_label` of images of TFDS.

    Returns:
        `Split(x, y)`: `x` float32 (images `[N, H, W, C]` in `[0, 1]`), `y` int32
        for classes, of rows or of pixels `[N, H, W]`, float32 for real targets.

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
    """Describes the data that `load` returns for the same arguments.

    Args:
        name: String, name of a bundled set, of a set in the data folder, or of TFDS.
        seed: Non-negative integer, seed of the splits.
        validation: Fraction in `[0, 1)`, or count, of training rows held out.
        data_dir: Folder to read; `None` is the folder `TFDS_DATA_DIR` or
            `BDLZOO_DATA_DIR`.
        **options: Options of the data set, the same as those of `load`.

    Returns:
        `Description(kind, input_shape, num_classes, target_scale)`.

    Example:

        bdlzoo.data.describe("digits").num_classes
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

    Example:

        print(*bdlzoo.data.available())
    """
    found = bundled.available()
    found.update(scenes.available())
    for reader in (folder, hourly, tfds_reader):
        found.update(reader.available(data_dir))
    return found


def class_names(name, data_dir=None, **options):
    """Returns the names of the classes of a data set, in order.

    Args:
        name: String, name of a bundled set, of a set in the data folder, or of TFDS.
        data_dir: Folder to read; `None` is the folder `TFDS_DATA_DIR` or
            `BDLZOO_DATA_DIR`.
        **options: Options of the data set, the same as those of `load`.

    Returns:
        Tuple of strings, which are numbers if the classes have no names; `None` if
        targets are real numbers.

    Example:

        bdlzoo.data.class_names("breast_cancer")
    """
    reader, where = _reader(name, data_dir, {
        key: value for key, value in options.items()
        if key not in ("seed", "validation")})
    num_classes = describe(name, data_dir=data_dir, **options).num_classes
    if num_classes is None:
        return None
    masked = {key: options[key] for key in ("mask",) if key in options}
    named = reader.class_names(name, **where, **masked) if hasattr(
        reader, "class_names") else None
    return tuple(named or map(str, range(num_classes)))


def _reader(name, data_dir, options):
    """The module that reads a data set, and its arguments for the folder."""
    if name in bundled.NAMES:
        reader, where, known = bundled, {}, bundled.OPTIONS.get(name, ())
    elif name in scenes.NAMES:
        reader, where, known = scenes, {}, scenes.OPTIONS
    elif name in folder.NAMES or name.startswith("uci/"):
        reader, where = folder, {"data_dir": data_dir}
        known = folder.OPTIONS.get(name.split("/")[0], ())
    elif name in hourly.NAMES:
        reader, where, known = hourly, {"data_dir": data_dir}, hourly.OPTIONS
    elif tfds_reader.knows(name, data_dir):
        reader, where, known = (
            tfds_reader, {"data_dir": data_dir}, tfds_reader.OPTIONS)
    else:
        names = [*bundled.NAMES, *scenes.NAMES, *folder.NAMES, *hourly.NAMES,
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
