"""All folds of a data set at once, for models that are trained side by side.

    row i  is of copy  i % (folds * repeats),   copy = fold * repeats + repeat

Each fold is standardised by its own training rows. Repeats, such as the members of an
ensemble, have the rows of their fold in different orders.
"""

import typing

import numpy as np

from bdlzoo.data import folder
from bdlzoo.data.load import describe, load
from bdlzoo.data.split import Split


class Folds(typing.NamedTuple):
    """Rows of all folds, one of each in turn.

    Args:
        splits: Dict from the name of a split to its `Split`.
        target_scales: Tuple of pairs (mean, std) of the targets of each fold, before
            they were standardised.
    """

    splits: dict
    target_scales: tuple


def load_folds(name, folds=None, repeats=1, seed=0, validation=0.0, data_dir=None):
    """Loads folds of a data set, with the rows of all folds in turn.

    Args:
        name: String, such as `"uci/yacht"`.
        folds: Sequence of integers, numbers of the folds; `None` is all.
        repeats: Integer, copies of each fold.
        seed: Non-negative integer, seed of the validation rows and of the orders.
        validation: Fraction in `[0, 1)`, or count, of training rows held out.
        data_dir: Folder to read; `None` is the folder `BDLZOO_DATA_DIR`.

    Returns:
        `Folds(splits, target_scales)`, with a split "validation" if there are such
        rows.

    Example:

        folds = bdlzoo.data.load_folds("uci/yacht", repeats=5)
    """
    if not name.startswith("uci/"):
        raise ValueError("Expected a data set with folds, whose name begins with "
                         f"`uci/`. Received: name={name!r}")
    folds = range(folder.num_folds(name, data_dir)) if folds is None else folds
    options = dict(seed=seed, validation=validation, data_dir=data_dir)
    names = ["train", *(["validation"] if validation else []), "test"]
    parts = {split: [load(name, split, fold=fold, **options) for fold in folds]
             for split in names}
    parts["train"] = [_reordered(part, np.random.default_rng([seed, fold, repeat]))
                      if repeat else part
                      for fold, part in zip(folds, parts["train"])
                      for repeat in range(repeats)]
    for split in names[1:]:
        parts[split] = [part for part in parts[split] for _ in range(repeats)]
    scales = tuple(describe(name, fold=fold, **options).target_scale
                   for fold in folds)
    return Folds({split: Split(*map(_in_turns, zip(*each)))
                  for split, each in parts.items()}, scales)


def _reordered(part, generator):
    order = generator.permutation(len(part.x))
    return Split(part.x[order], part.y[order])


def _in_turns(arrays):
    """Rows of arrays of equal length, one of each in turn."""
    together = np.stack(arrays, axis=1)  # [N, copies, ...]
    return together.reshape(-1, *together.shape[2:])
