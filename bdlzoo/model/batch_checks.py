"""Checks of every batch on its way to a step.

    quick_check(x, y)     one pass over each tensor, inside the pipeline
    check_data(x, y)      where that is not sure: says what is wrong, and raises

Arrays are checked as a whole before the training. Batches are checked where they flow,
outside of the compiled step, in which assertions are dropped. Errors of a pipeline
reach Python in the words of TensorFlow, so that the error that was found is kept here,
and is raised in its place.
"""

import contextlib
import functools
import weakref

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import batches
from bdlzoo.core.checks import is_as_new
from bdlzoo.model import batch_sources
from bdlzoo.model.guarded_dataset import GuardedDataset


class BatchChecks:
    """Looks at the batches of one call of `fit`, `evaluate` or `predict`.

    Args:
        model: Built `StochasticModel`.
        inputs_only: Bool, whether targets and weights do not matter.
    """

    def __init__(self, model, inputs_only=False):
        self.model = model
        self.inputs_only = inputs_only
        self.error = None
        self.may_end_early = False

    def watched(self, data, name="the data"):
        """The same batches, each after a check; arrays stay as they are.

        Args:
            data: What Keras takes.
            name: String, what the data are, for the error.
        """
        if isinstance(data, tf.data.Dataset):
            # TensorFlow never lets go of a Python function; it must of the model.
            checks = weakref.ref(self)
            return GuardedDataset(data, self._quick, lambda batch, place: (
                checks().look(name, batch, place)))
        self.may_end_early |= isinstance(
            data, keras.utils.PyDataset) or batch_sources.is_iterator(data)
        return batch_sources.each(data, functools.partial(self.look, name))

    @contextlib.contextmanager
    def explained(self):
        """Raises the error that a check has found in the place of TensorFlow's."""
        try:
            yield
        except Exception:
            if self.error is None:
                raise
            raise self.error from None
        # The workers of a `PyDataset`, and generators that replicas share, may end an
        # epoch early in place of an error.
        if self.error is not None and self.may_end_early:
            raise self.error

    def _quick(self, batch):
        """Scalar bool: whether nothing is wrong for sure with a batch of tensors."""
        x, y, sample_weight, side = self._parts(batch)
        parts, others = ([part for part in batches.flat(some) if part is not None]
                         for some in ((x, y), (sample_weight, side)))
        if not all(part.shape.rank for part in parts) or not is_as_new(
                self.model, "quick_check", "check_data"):
            return tf.constant(False)
        return batches.all_of([
            self.model.quick_check(x, y), _same_rows(parts),
            *(batches.seem_finite(part, keras.backend.floatx()) for part in others)])

    def look(self, name, batch, place):
        """Returns a batch of arrays, or raises an error that names its place.

        Args:
            name: String, what the data are.
            batch: Inputs alone, or a tuple of inputs, targets and weights.
            place: Integer, number of the batch.
        """
        parts = self._parts(batch)
        try:
            self._check(*parts)
        except ValueError as error:
            row = self._first_row(parts)
            found = ValueError(f"{error}, in batch {int(place)}, row {row} of {name}, "
                               "both counted from 0")
            # A pipeline goes on after an error, so that others may follow.
            self.error = self.error or found
            raise found from None
        return batch

    def _parts(self, batch):
        """Inputs, targets, weights, and sets beside them, of a batch."""
        x, y, sample_weight = batches.unpack(batch)
        x, side = x if isinstance(x, batches.Beside) else (x, {})
        if self.inputs_only:
            y = sample_weight = None
        return x, y, sample_weight, side

    def _check(self, x, y, sample_weight, side):
        if self.inputs_only:
            self.model.check_inputs(x)
        else:
            self.model.check_data(x, y)
            batches.check_finite(sample_weight, "sample weights")
        for name, rows in side.items():
            batches.check_finite(rows, name)

    def _first_row(self, parts):
        """Place of the first row that is wrong by itself."""
        floats = [part for part in batches.flat(parts) if batches.has_floats(part)]
        lost = [int(rows.argmax()) for rows in (
            ~np.isfinite(np.reshape(part, [len(part), -1])).all(axis=1)
            for part in floats) if rows.any()]
        if lost:
            return min(lost)
        group = self.model.row_group
        for row in range(0, batches.num_rows(parts), group):
            try:
                self._check(*(batches.take(part, slice(row, row + group))
                              for part in parts))
            except ValueError:
                return row
        return 0


def _same_rows(parts):
    """Whether all tensors have as many rows: a scalar tensor, or a bool."""
    if len(parts) == 1 or None not in {part.shape[0] for part in parts}:
        return len({part.shape[0] for part in parts}) == 1
    first, *others = (tf.shape(part)[0] for part in parts)
    return batches.all_of(tf.equal(first, count) for count in others)
