"""Data sets in a folder of the user, `BDLZOO_DATA_DIR`.

    uci/<name>.npz                X, y, train_idx, test_idx (a row for each fold)
    plain/usps.npz                x_train, y_train, x_test, y_test
    plain/notmnist_small_10k.npz  x, y
    plain/cifar10bw_test.npz      x, y
    plain/camvid_96x128.npz       x_train, y_train, ..._val, ..._test: images and masks
"""

import numbers
import os
import pathlib

import numpy as np

from bdlzoo.core.file_error import reading
from bdlzoo.data.fit_masks import fit_masks
from bdlzoo.data.split import Split, choose, deal, standardise

VARIABLE = "BDLZOO_DATA_DIR"
# Name: file, and the suffixes of the keys of training and test rows.
_IMAGES = {
    "usps": ("plain/usps.npz", "_train", "_test"),
    "notmnist": ("plain/notmnist_small_10k.npz", None, ""),
    "cifar10_grey": ("plain/cifar10bw_test.npz", None, ""),
}
_NUM_CLASSES = 10  # The same for all of them.
_CAMVID = "plain/camvid_96x128.npz"
_OBJECTS = ("sky", "building", "pole", "road", "pavement", "tree", "sign", "fence",
            "car", "pedestrian", "bicyclist")
_VOID = len(_OBJECTS)  # Label of pixels that do not count.
NAMES = (*_IMAGES, "camvid")
OPTIONS = {"uci": ("fold",), "camvid": ("size",)}


def load(name, split, seed, validation, data_dir, **options):
    """Returns one split of the set `name`."""
    if name in _IMAGES:
        return _load_images(name, split, seed, validation, data_dir)
    if name == "camvid":
        return _load_camvid(split, seed, data_dir, **options)
    x, y, rows, _ = _read_uci(name, seed, validation, data_dir, **options)
    chosen = choose(rows, split, name)
    return Split(x[chosen], y[chosen])


def describe(name, seed, validation, data_dir, **options):
    """Returns the shape of an input, number of classes, and scale of targets."""
    if name in _IMAGES:
        x, _ = _load_images(name, "test", seed, validation, data_dir)
        return x.shape[1:], _NUM_CLASSES, None
    if name == "camvid":
        x, _ = _load_camvid("validation", seed, data_dir, **options)
        return x.shape[1:], len(_OBJECTS), None
    x, _, _, scale = _read_uci(name, seed, validation, data_dir, **options)
    return x.shape[1:], None, scale


def available(data_dir=None):
    """What the sets are whose files are there, by name."""
    root = pathlib.Path(data_dir or os.environ.get(VARIABLE) or VARIABLE).expanduser()
    tables = sorted(root.glob("uci/*.npz"))
    return {
        **{name: f"Images, {_NUM_CLASSES} classes" for name, (file, *_)
           in _IMAGES.items() if (root / file).is_file()},
        **({"camvid": f"Streets, a class for each pixel, {len(_OBJECTS)} classes"}
           if (root / _CAMVID).is_file() else {}),
        **{f"uci/{path.stem}": "Table with folds, regression" for path in tables}}


def class_names(name, data_dir=None):
    """Returns the names of the classes, or `None` if they have only numbers."""
    del data_dir
    return _OBJECTS if name == "camvid" else None


def num_folds(name, data_dir=None):
    """Returns the number of folds in the file of a `uci/` set."""
    return len(_arrays(_find(f"{name}.npz", data_dir), "train_idx")[0])


def _load_images(name, split, seed, validation, data_dir):
    file, train, test = _IMAGES[name]
    suffix = test if split == "test" else train
    if suffix is None:
        choose({}, split, name)  # Raises an error, as there are no such rows.
    path = _find(file, data_dir)
    x, y = _arrays(path, f"x{suffix}", f"y{suffix}")
    if x.ndim != 3 or y.shape != x.shape[:1]:
        raise ValueError(_malformed(
            path, "images [N, H, W] and as many labels",
            f"shapes {x.shape} and {y.shape}"))
    limit = 255 if x.dtype == np.uint8 else 1
    x = np.divide(x[..., None], limit, dtype="float32")
    if x.min() < 0 or x.max() > 1:
        raise ValueError(_malformed(
            path, "uint8 images, or values in [0, 1]",
            f"values from {x.min()} to {x.max()}"))
    if y.min() < 0 or y.max() >= _NUM_CLASSES:
        raise ValueError(_malformed(
            path, f"labels 0 to {_NUM_CLASSES - 1}",
            f"labels from {y.min()} to {y.max()}"))
    if split == "test":
        return Split(x, y.astype("int32"))
    rows = choose(deal(len(x), seed, validation), split, name)
    return Split(x[rows], y[rows].astype("int32"))


def _load_camvid(split, seed, data_dir, size=None):
    """Images and masks; pixels of the label 11 do not count."""
    path = _find(_CAMVID, data_dir)
    word = {"validation": "val"}.get(split, split)
    x, y = _arrays(path, f"x_{word}", f"y_{word}")
    if x.ndim != 4 or x.dtype != np.uint8 or y.shape != x.shape[:3]:
        raise ValueError(_malformed(
            path, "uint8 images [N, H, W, 3] and masks [N, H, W] of their size",
            f"shapes {x.shape} and {y.shape}"))
    if y.min() < 0 or y.max() > _VOID:
        raise ValueError(_malformed(path, f"labels 0 to {_VOID}",
                                    f"labels from {y.min()} to {y.max()}"))
    if split == "train":
        order = deal(len(x), seed, 0)["train"]
        x, y = x[order], y[order]
    x, y = np.divide(x, 255, dtype="float32"), y.astype("int32")
    return Split(x, y) if size is None else Split(*fit_masks(x, y, size))


def _read_uci(name, seed, validation, data_dir, fold=0):
    path = _find(f"{name}.npz", data_dir)
    x, y, train, test = _arrays(path, "X", "y", "train_idx", "test_idx")
    if x.ndim != 2 or y.ndim not in (1, 2) or len(x) != len(y):
        raise ValueError(_malformed(
            path, "X [N, D] with as many rows as y",
            f"shapes {x.shape} and {y.shape}"))
    if train.ndim != 2 or test.ndim != 2 or len(train) != len(test):
        raise ValueError(_malformed(
            path, "train_idx and test_idx with a row for each fold",
            f"shapes {train.shape} and {test.shape}"))
    if not isinstance(fold, numbers.Integral) or not 0 <= fold < len(train):
        raise ValueError(
            f"Expected a fold from 0 to {len(train) - 1} of '{name}'. "
            f"Received: fold={fold!r}")
    train, test = train[fold].astype("int64"), test[fold].astype("int64")
    both = np.concatenate([train, test])
    if both.min() < 0 or both.max() >= len(x) or len(set(both)) < len(both):
        raise ValueError(_malformed(
            path, f"row numbers below {len(x)}, each at most once in a fold",
            f"fold {fold} with rows {both.min()} to {both.max()}, "
            f"{len(both) - len(set(both))} of them repeated"))
    dealt = deal(len(train), seed, validation)
    rows = {"train": train[dealt["train"]],
            "validation": train[dealt["validation"]], "test": test}
    x, _ = standardise(x, rows["train"])
    y, (mean, std) = standardise(y, rows["train"])
    scale = (mean, std) if y.ndim == 2 else (float(mean), float(std))
    return x, y, rows, scale


def _find(file, data_dir):
    root = data_dir or os.environ.get(VARIABLE)
    path = pathlib.Path(root or VARIABLE, file).expanduser()
    if root and path.is_file():
        return path
    there = sorted(p.stem for p in path.parent.glob("*.npz")) if root else []
    raise FileNotFoundError(
        f"Expected the file '{file}' in the data folder, not found at {path}.\n"
        f"Put it there, or set {VARIABLE} (or `data_dir`) to the folder that "
        f"holds '{file}'.\n"
        f"Received: data_dir={data_dir!r}, {VARIABLE}="
        f"{os.environ.get(VARIABLE)!r}; sets in that place: {there}")


def _arrays(path, *keys):
    with reading(path, "an npz file of plain arrays, with folds of one length",
                 "Put a whole copy of the set there."), (
            np.load(path, allow_pickle=False)) as file:
        missing = [key for key in keys if key not in file]
        arrays = [file[key] for key in keys if key not in missing]
    if missing:
        raise ValueError(_malformed(path, f"the keys {list(keys)}",
                                    f"no {missing}"))
    for key, array in zip(keys, arrays, strict=True):
        if array.dtype.kind not in "fiu" or not np.isfinite(array).all():
            raise ValueError(_malformed(path, f"finite numbers in '{key}'",
                                        f"NaN, inf or dtype {array.dtype}"))
        if not array.size:
            raise ValueError(_malformed(path, f"rows in '{key}'", "none"))
    return arrays


def _malformed(path, expected, found):
    return f"Expected {expected}. Received: path={path} with {found}"
