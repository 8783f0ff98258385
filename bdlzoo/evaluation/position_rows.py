"""Positions of test data as rows, for protocols that compare rows.

Positions of one row, such as the pixels of an image, are not independent. Intervals of
scores are therefore made from resamples of rows, each with all of its positions.
"""

import typing

import numpy as np
import tensorflow as tf

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.core.positions import cleaned

_MOST = 200_000  # Positions that are compared; more are thinned out evenly.
_MAPS = 6  # Rows that a report shows as maps.


class PositionRows(typing.NamedTuple):
    """Prediction and targets of the positions that count, as rows.

    Args:
        prediction: Prediction of rows `[S, N, C]`.
        logits: Logits of the draws `[S, N, C]`, or `None`.
        targets: Class indices `[N]`, or numbers `[N, D]`.
        rows: Row of the test set that each position is from, `[N]`; `None` if the
            outputs have no positions and all rows count.
        maps: Dictionary of arrays for `bdlzoo.reports.label_maps`, or `None`.
        doubtful: The same for the rows with the largest mean uncertainty, or `None`.
        note: Text that says how many positions there are, or `None`.
    """

    prediction: typing.Any
    logits: typing.Any
    targets: np.ndarray
    rows: np.ndarray | None = None
    maps: dict | None = None
    doubtful: dict | None = None
    note: str | None = None


def position_rows(model, x, y, prediction, logits=None):
    """Makes rows of the positions that count.

    Args:
        model: `PredictiveModel`.
        x: Inputs.
        y: Targets.
        prediction: Its prediction of the inputs.
        logits: Logits `[S, B, ..., C]` of the draws, or `None`.

    Returns:
        `PositionRows`.
    """
    outputs = tf.convert_to_tensor(prediction.mean)[None]  # Only its shape is read.
    counts = model.likelihood.counts(y, outputs)
    values = prediction.log_prob(cleaned(tf.convert_to_tensor(y), counts))
    found = model.positions(values, y, outputs, mask=model.mask_of_rows(x))
    targets = found.rows(y).numpy()
    flat = prediction.rows() if found.rank > 1 else prediction
    if isinstance(flat, ClassPrediction):
        if targets.ndim == 2 and targets.shape[1] > 1:  # Class probabilities.
            targets = targets.argmax(axis=-1)
        targets = targets.reshape(-1).astype("int32")
    else:
        targets = targets.reshape(len(targets), -1)
    if found.rank == 1 and found.counts is None:
        return PositionRows(flat, logits, targets)
    whole = np.ones(values.shape, bool) if found.counts is None else (
        found.counts.numpy())
    kept = np.flatnonzero(whole)
    chosen = kept[np.linspace(0, len(kept) - 1, min(len(kept), _MOST)).astype(int)]
    if logits is not None:
        logits = tf.gather(tf.reshape(
            logits, [logits.shape[0], -1, logits.shape[-1]]), chosen, axis=1)
    return PositionRows(
        flat if len(chosen) == whole.size else flat.taken(chosen), logits,
        targets[chosen], chosen // (whole.size // len(whole)),
        *_maps(x, targets, flat, whole),
        f"{len(kept):,} of {whole.size:,}" + (
            f", {len(chosen):,} compared" if len(chosen) < len(kept) else ""))


def _maps(x, targets, flat, whole):
    """Images beside their maps, for outputs in the size of images: two dictionaries.

    The first rows, and those with the largest mean uncertainty.
    """
    if not hasattr(x, "shape") or whole.ndim != 3 or np.ndim(x) != 4 or (
            np.shape(x)[1:3] != whole.shape[1:]):
        return None, None
    classes = isinstance(flat, ClassPrediction)
    if not classes and flat.mean.shape[-1] != 1:
        return None, None

    def image(values):
        return np.where(whole, np.reshape(np.asarray(values), whole.shape), np.nan)

    maps = dict(targets=image(targets),
                predicted=image(flat.label if classes else flat.mean),
                uncertainty=image(flat.predictive_entropy if classes else flat.std))
    if classes and flat.num_draws > 1:
        maps.update(aleatoric=image(flat.expected_entropy),
                    epistemic=image(flat.mutual_information))
    # An image without a position that counts has a sum of 0.
    sums = np.nansum(maps["uncertainty"], axis=(1, 2))
    doubt = sums / np.maximum(whole.sum(axis=(1, 2)), 1)
    count = min(_MAPS, len(whole))
    chosen = np.arange(count), np.argsort(-doubt, kind="stable")[:count]
    return tuple(dict(images=np.asarray(x)[rows],
                      num_classes=flat.log_mean.shape[-1] if classes else None,
                      **{name: part[rows] for name, part in maps.items()})
                 for rows in chosen)


def sums_by_row(rows, columns):
    """Sums of columns `[N, K]` over the positions of each row, and their number.

    Args:
        rows: Row of each position, `[N]`.
        columns: Array `[N, K]`.

    Returns:
        Array `[R, K]`, and numbers of positions `[R]`, of the rows that have some.
    """
    _, place, counts = np.unique(rows, return_inverse=True, return_counts=True)
    return np.stack([np.bincount(place, column) for column in columns.T], 1), counts
