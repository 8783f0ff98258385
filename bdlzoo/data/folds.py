"""All folds of a set at once, for models that are trained side by side.

    row i  is of copy  i % (folds * repeats),   copy = fold * repeats + repeat

Each fold is standardised by its own training rows. Repeats, such as the members
of an ensemble, see the rows of their fold in an order of their own.
"""

import typing

import numpy as np

from bdlzoo.data import folder
from bdlzoo.data.load import describe, load
from bdlzoo.data.split import Split


class Folds(typing.NamedTuple):
    """Rows of all folds, in turns."""

    splits: dict  # Name of a split to its `Split`.
    target_scales: tuple  # (mean, std) that the targets of each fold had.


def load_folds(name, folds=None, repeats=1, seed=0, validation=0.0, data_dir=None):
    """Loads folds of a set of the data folder as rows that take turns.

    Args:
        name: String, such as `"uci/yacht"`.
        folds: Sequence of integers; `None` is all.
        repeats: Integer, copies of each fold.
        seed: Non-negative integer; deals out validation rows, and the orders.
        validation: See `load`.
        data_dir: See `load`.

    Returns:
        `Folds(splits, target_scales)`, with a split "validation" where there are
        such rows.
    """
    if not name.startswith("uci/"):
        raise ValueError("Expected a set with folds, one of `uci/` in the data "
                         f"folder. Received: name={name!r}")
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
    """Rows of equally long arrays, one of each in turn."""
    together = np.stack(arrays, axis=1)  # [N, copies, ...]
    return together.reshape(-1, *together.shape[2:])
