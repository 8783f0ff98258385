"""Data sets of TensorFlow Datasets (TFDS), by their names there.

A set that is prepared in `data_dir` (or `TFDS_DATA_DIR`) is read without a download;
TFDS downloads the others. A set of images with masks, such as `oxford_iiit_pet`, has a
class for each pixel as target if `mask` names the feature:

    load("oxford_iiit_pet", mask="segmentation_mask", size=(96, 128), num_classes=3,
         first_label=1)
"""

import os
import pathlib
import re

import numpy as np

from bdlzoo.data.fit_masks import fit_masks
from bdlzoo.data.split import Split, choose, deal

VARIABLE = "TFDS_DATA_DIR"
OPTIONS = ("mask", "size", "num_classes", "first_label")  # Of images with masks.
_TEST = 0.2  # Share of the test rows in a set without a test split.
_BATCH = 1024


def available(data_dir=None):
    """What the sets are that lie prepared in the folder, by name."""
    root = _root(data_dir)
    there = sorted(p.name for p in root.iterdir()) if root.is_dir() else []
    return {name: "Prepared by TFDS" for name in there
            if name != "downloads" and (root / name).is_dir()}


def names(data_dir=None):
    """Returns the names of all sets of TFDS, and of those in the folder."""
    import tensorflow_datasets as tfds
    # Without community sets, which need the internet.
    known = tfds.list_builders(with_community_datasets=False)
    return sorted({*known, *available(data_dir)})


def knows(name, data_dir=None):
    """Returns whether `name`, perhaps with `/config` or `:version`, is a set."""
    base = re.split("[/:]", name)[0]
    return (_root(data_dir) / base).is_dir() or base in names(data_dir)


def load(name, split, seed, validation, data_dir, **masks):
    """Returns one split of the set `name`."""
    builder = _prepared(name, data_dir)
    _check_features(name, builder.info, **masks)
    sizes = {key: info.num_examples for key, info in builder.info.splits.items()}
    if "train" not in sizes:
        raise ValueError(
            f"Expected a set with a 'train' split. Received: name={name!r} with "
            f"{sorted(sizes)}")
    own_test = "test" in sizes
    rows = deal(sizes["train"], seed, validation, 0.0 if own_test else _TEST)
    if own_test and split == "test":
        return _floats(*_read(builder, "test", **masks))
    chosen = choose(rows, split, name)
    x, y = _read(builder, "train", **masks)
    return _floats(x[chosen], y[chosen])


def describe(name, data_dir, **masks):
    """Returns the shape of an input, number of classes, and scale of targets."""
    info = _builder(name, data_dir).info  # This needs no download.
    x, y = _check_features(name, info, **masks)
    if masks:
        return (*masks["size"], x.shape[-1]), masks["num_classes"], None
    return tuple(x.shape), getattr(y, "num_classes", None), None


def class_names(name, data_dir, **masks):
    """Returns the names of the classes, or `None` if they have only numbers."""
    return None if masks else _check_features(
        name, _builder(name, data_dir).info)[1].names


def _root(data_dir):
    root = data_dir or os.environ.get(VARIABLE) or "~/tensorflow_datasets"
    return pathlib.Path(root).expanduser()


def _builder(name, data_dir):
    import tensorflow_datasets as tfds
    return tfds.builder(name, data_dir=_root(data_dir))


def _prepared(name, data_dir):
    try:
        builder = _builder(name, data_dir)
        if not builder.is_prepared():
            builder.download_and_prepare()
        return builder
    except Exception as error:  # The download code of TFDS may raise anything.
        raise FileNotFoundError(
            f"Expected the TFDS set '{name}' prepared in {_root(data_dir)}; it is "
            f"not, and TFDS could not prepare it: {_first_line(error)}\n"
            f"Prepare it on a machine with internet access, with `tfds build {name} "
            f"--data_dir=FOLDER`,\nand set {VARIABLE} (or `data_dir`) to FOLDER. "
            f"Received: name={name!r}, data_dir={data_dir!r}") from error


def _first_line(error):
    return f"{type(error).__name__}: {str(error).strip()}".splitlines()[0]


def _check_features(name, info, **masks):
    """Features of inputs and targets; raises if they cannot be read."""
    import tensorflow_datasets as tfds
    if masks:
        return _check_masks(name, info, **masks)
    keys = info.supervised_keys
    if not keys or len(keys) != 2 or not all(isinstance(k, str) for k in keys):
        raise ValueError(
            "Expected a set with supervised keys, one input and one target. "
            f"Received: name={name!r} with supervised_keys={keys}")
    x, y = (info.features[key] for key in keys)
    image = isinstance(x, tfds.features.Image) and x.np_dtype == np.uint8
    vector = type(x) is tfds.features.Tensor and _numeric(x) and len(x.shape) == 1
    if not (image or vector) or None in x.shape:
        raise ValueError(
            "Expected uint8 images or numeric vectors of one fixed shape. "
            f"Received: name={name!r} with input {x}")
    label = isinstance(y, tfds.features.ClassLabel) and y.num_classes
    real = type(y) in (tfds.features.Tensor, tfds.features.Scalar)
    if not label and not (real and _numeric(y) and len(y.shape) <= 1):
        raise ValueError(
            "Expected a class or a number, or a vector of them, as target. "
            f"Received: name={name!r} with target {y}")
    return x, y


def _check_masks(name, info, mask=None, size=None, num_classes=None, first_label=0):
    """The same for images whose masks are another feature."""
    import tensorflow_datasets as tfds
    del first_label
    images = {key: feature for key, feature in info.features.items()
              if isinstance(feature, tfds.features.Image)}
    given = size is not None and len(size) == 2 and num_classes is not None
    if not given or mask not in images or len(images) != 2:
        raise ValueError(
            "Expected a set with images and masks, and `mask` (one of "
            f"{sorted(images)}), `size` (height, width) and `num_classes`. Received: "
            f"name={name!r}, mask={mask!r}, size={size}, num_classes={num_classes}")
    [x] = [feature for key, feature in images.items() if key != mask]
    return x, images[mask]


def _numeric(feature):
    return np.dtype(feature.np_dtype).kind in "fiu"


def _read(builder, split, **masks):
    """All rows of a split of TFDS, in the order of its files."""
    import tensorflow as tf
    import tensorflow_datasets as tfds
    if masks:
        return _read_masks(builder, split, **masks)
    batches = builder.as_dataset(
        split=split, as_supervised=True, batch_size=_BATCH, shuffle_files=False,
        read_config=tfds.ReadConfig(try_autocache=False))
    try:
        x, y = zip(*tfds.as_numpy(batches), strict=True)
    except tf.errors.OpError as error:
        raise ValueError(
            f"Expected whole files in {builder.data_path}, but reading failed: "
            f"{_first_line(error)}\nDelete that folder and prepare it again. "
            f"Received: name={builder.name!r}") from error
    x, y = np.concatenate(x), np.concatenate(y)
    target = builder.info.features[builder.info.supervised_keys[1]]
    classes = isinstance(target, tfds.features.ClassLabel)
    return x, y.astype("int32" if classes else "float32")


def _read_masks(builder, split, mask, size, num_classes, first_label=0):
    """Images and masks of one size; images differ in it, so they come one by one."""
    import tensorflow_datasets as tfds
    image, _ = _check_masks(builder.name, builder.info, mask, size, num_classes)
    [key] = [key for key, feature in builder.info.features.items() if feature is image]
    rows = builder.as_dataset(split=split, shuffle_files=False,
                              decoders=tfds.decode.PartialDecoding([key, mask]),
                              read_config=tfds.ReadConfig(try_autocache=False))
    x, y = zip(*(fit_masks(row[key][None], row[mask][None, ..., 0], size)
                 for row in tfds.as_numpy(rows)), strict=True)
    x, y = np.concatenate(x), np.concatenate(y).astype("int32") - first_label
    if y.min() < 0 or y.max() >= num_classes:
        raise ValueError(
            f"Expected labels from {first_label} to {first_label + num_classes - 1} in "
            f"'{mask}': give `num_classes` and `first_label`. Received: labels from "
            f"{y.min() + first_label} to {y.max() + first_label}")
    return np.clip(x, 0.0, 255.0).astype("float32") / 255, y


def _floats(x, y):
    limit = 255 if x.dtype == np.uint8 and x.ndim == 4 else 1
    return Split(np.divide(x, limit, dtype="float32"), y)
