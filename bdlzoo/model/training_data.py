"""What `fit` was given, and the stream of batches that is made of it.

    fit(x)                          arrays, a dataset, or a world (`data.Experience`)
    fit(x, y)                       the same with targets
    fit(x, y, unlabelled=u)         a second set in every step; or labels of -1 in `y`
    fit(x, y, target=t)             the same for a set of another domain

A set that stands beside the inputs has batches and an order of its own, and comes to
the model as a `core.batches.Beside`. An epoch lasts until the longest set is seen
once; shorter ones start again in a new order.

A model that numbers rows is told which rows of the arrays a batch has, as `rows` and,
for a set beside them, as `unlabelled_rows`. Numbers go on from one set to the next.
"""

import functools

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import batches
from bdlzoo.data.epochs import epochs, num_batches
from bdlzoo.data.experience import Experience
from bdlzoo.model import batch_sources
from bdlzoo.model.batch_checks import BatchChecks


class TrainingData:
    """Inputs, targets and weights of a training, and the sets beside them.

    Args:
        x: Arrays, a dataset of batches, an `Experience`, or what else Keras takes.
        y: Arrays of targets; `None` where there are none, or the dataset has them.
        sample_weight: Array of weights; `None` for none.
        side: Dictionary of sets beside the inputs, arrays or datasets by name.
    """

    def __init__(self, x, y=None, sample_weight=None, side=None):
        self.x, self.y, self.sample_weight = x, y, sample_weight
        self.side = dict(side or {})
        self.arrays = batches.is_arrays(x)
        self.experience = x if isinstance(x, Experience) else None

    @classmethod
    def of(cls, model, x, y=None, sample_weight=None, **side):
        """Data that a model is given, with those sets beside them that are not `None`.

        Raises:
            ValueError: Where the model does not learn from such a set.
        """
        side = {name: rows for name, rows in side.items() if rows is not None}
        unknown = sorted(set(side) - set(model.side_data))
        if unknown:
            raise ValueError(
                "Expected only the sets that the model learns from beside its inputs: "
                f"{type(model).__name__} takes {', '.join(model.side_data) or 'none'}. "
                f"Received: {', '.join(unknown)}")
        first = None
        if batch_sources.is_iterator(x):
            first, x = batch_sources.peeked(x)
            first = tuple(batch_sources.converted(model, *first))
        x, y, sample_weight = batch_sources.converted(model, x, y, sample_weight)
        data = cls(x, y, sample_weight, {
            name: batch_sources.converted(model, rows)[0]
            for name, rows in side.items()})
        if first is not None:
            data.sample = first
        if "unlabelled" in model.side_data:
            data = data.without_marked()
        # In one order, whatever way they came in: sums over them are the same.
        data.side = {name: data.side[name] for name in model.side_data
                     if name in data.side}
        return data

    @functools.cached_property
    def sample(self):
        """Rows that tell shapes: all arrays, or a first batch; `None` if unknown."""
        parts = self.x, self.y, self.sample_weight
        return parts if self.arrays else batches.example(self.x)

    @property
    def rows(self):
        """Rows of the inputs; `None` where they are not arrays."""
        return batches.num_rows(self.x) if self.arrays else None

    @property
    def is_whole(self):
        """Whether all data are arrays, which `check` looks at row by row."""
        return self.arrays and all(map(batches.is_arrays, self.side.values()))

    def check(self, model, validation_data=None, class_weight=None):
        """Raises where data are not what a model takes, before anything is done."""
        if self.experience is not None:
            self.experience.check(model, class_weight)
        if self.sample is not None:
            _check_sample(model, self.sample, self.x, "the training data")
        for name, rows in self.side.items():
            sample = batches.example(
                rows if isinstance(rows, tf.data.Dataset) else (rows,))
            both = self.arrays or isinstance(self.x, tf.data.Dataset)
            if sample is None or not both:
                raise ValueError(
                    f"Expected arrays or datasets: as the inputs, and as {name}, which "
                    f"stands beside them. Received: {type(self.x).__name__} and "
                    f"{type(rows).__name__}")
            model.check_side_data(name, sample[0], self.sample[0])
        model.check_sets(self)
        held_out = batches.example(validation_data)
        if held_out is not None:
            _check_sample(model, held_out, validation_data, "the validation data")

    def count(self, model, told=None):
        """Rows of the training set of one model; `None` where nobody says it.

        Args:
            model: `StochasticModel`; what its constructor was told comes before the
                data.
            told: Integer, what `fit` was told, which comes before all.
        """
        known = told or model.fixed_num_data
        if known:
            return known
        rows = self.rows if self.arrays else batches.count_rows(
            self.x, self.sample and self.sample[0])
        if rows is None and model.needs_num_data:
            raise ValueError(
                "Expected data of known length, since the prior is weighed by it. "
                "Say it with `fit(..., num_data=)`. Received: "
                f"{type(self.x).__name__} of unknown or infinite length")
        return rows and rows // model.row_group

    def without_marked(self):
        """The same with rows whose label is -1 as the set `unlabelled`."""
        parts = self.x, self.y, self.sample_weight
        if not self.arrays or not hasattr(self.y, "shape"):
            return self
        labels = np.asarray(self.y)
        # Of numbers, -1 is one like others.
        marked = (labels == -1).all(axis=tuple(range(1, labels.ndim))) & (
            labels.dtype.kind == "i")
        if not marked.any():
            return self
        batches.check_rows(self.x, [part for part in parts[1:] if part is not None])
        if "unlabelled" in self.side:
            raise ValueError(
                "Expected rows without a label in one place: as `unlabelled`, or "
                "marked by -1 in `y`. Received: unlabelled, and "
                f"{marked.sum()} marked rows")
        if marked.all():
            raise ValueError("Expected at least one row with a label. Received: "
                             f"{len(labels)} rows, all marked by -1")
        kept = (batches.take(part, ~marked) for part in parts)
        return TrainingData(*kept, {
            **self.side, "unlabelled": batches.take(self.x, marked)})

    def hold_out(self, share):
        """Splits the last `share` of the rows off, as Keras does.

        Returns:
            The `TrainingData` that are left, and a tuple for `validation_data`.
        """
        batches.check_share(share)
        if not self.arrays:
            raise ValueError("Expected arrays to split: give `validation_data` beside "
                             f"other data. Received: {type(self.x).__name__}")
        cut = self.rows - int(self.rows * share)
        parts = self.x, self.y, self.sample_weight
        kept, held = ([batches.take(part, rows) for part in parts]
                      for rows in (slice(cut), slice(cut, None)))
        return TrainingData(*kept, self.side), batches.packed(held)

    def class_weighed(self, model, class_weight):
        """The same with the weights of classes as weights of rows.

        Args:
            model: `StochasticModel`.
            class_weight: Dictionary from classes to weights, or `None`.
        """
        if not class_weight:
            return self
        if not self.arrays:
            return TrainingData(batch_sources.class_weighed(
                model, self.x, class_weight), side=self.side)
        parts = self.x, self.y, self.sample_weight
        return TrainingData(*batch_sources.class_weighed(
            model, parts, class_weight), self.side)

    def stream(self, model, batch_size=None, steps_per_epoch=None, initial_epoch=0,
               shuffle=True, last_epoch=None, augmentation=None):
        """What Keras trains on, and the steps of an epoch.

        Args:
            model: `StochasticModel`, which says how its batches look.
            batch_size: Integer, rows of a batch of arrays; `None` is 32.
            steps_per_epoch: Integer; `None` takes what the data say.
            initial_epoch: Integer, epochs before this one.
            shuffle: Bool, whether arrays are shuffled.
            last_epoch: Integer, epochs of the whole training; `None` if not known.
            augmentation: `bdlzoo.data.PairedAugmentation`, or `None`.
        """
        if augmentation is not None and (
                not self.arrays or self.side or model.numbers_rows):
            raise ValueError(
                "Expected arrays alone with an augmentation: change the batches of a "
                "dataset by `dataset.map`. Received: "
                f"{type(self.x).__name__}, sets beside it: {', '.join(self.side)}")
        if self.experience is not None:
            steps = steps_per_epoch or self.experience.steps_per_epoch
            if last_epoch is not None and initial_epoch >= last_epoch:
                return tf.data.Dataset.range(0), steps  # The world stays as it is.
            return self.experience.stream(model, initial_epoch * steps), steps
        if self.side or model.numbers_rows:
            return self._beside(model, batch_size or 32, steps_per_epoch,
                                initial_epoch, shuffle)
        if not self.arrays:
            return self.x, steps_per_epoch
        batch_size = batch_size or 32
        drop = model.drops_remainder(self.rows, batch_size)
        steps = steps_per_epoch or num_batches(self.rows, batch_size, drop)
        copies = model.data_copies if shuffle else None
        found = epochs(self.x, self.y, self.sample_weight, batch_size, model.seed,
                       initial_epoch * steps, shuffle, copies, model.row_group, drop)
        return found if augmentation is None else augmentation.of_stream(
            found, model.seed, initial_epoch * steps), steps

    def callbacks(self, model):
        """What Keras calls while it trains, so that an `Experience` takes its turns."""
        return [] if self.experience is None else [keras.callbacks.LambdaCallback(
            on_train_batch_begin=lambda batch, logs: self.experience.prepare(model))]

    def _beside(self, model, batch_size, steps, initial_epoch, shuffle):
        """A stream of all sets, each in batches of its own."""
        sets = {None: (self.x, self.y, self.sample_weight),
                **{name: (data, None, None) for name, data in self.side.items()}}
        sizes = {name: model.rows_of_batch(name, batch_size) for name in sets}
        steps = steps or max(_num_batches(parts[0], sizes[name])
                             for name, parts in sets.items())
        if model.numbers_rows:
            sets = _numbered(sets)
        inputs, *side = (
            _endless(parts, sizes[name], model.seed, initial_epoch * steps, shuffle,
                     # That of a word, whatever others there are.
                     (None, *model.side_data).index(name))
            for name, parts in sets.items())

        def together(batch, *others):
            x, *rest = batch
            side = {name: other[0] for name, other in zip(self.side, others)}
            if model.numbers_rows:
                x, numbers = x
                found = {name: rows for name, (rows, _) in side.items()}
                found.update({f"{name}_rows": rows for name, (_, rows) in side.items()})
                side = {**found, "rows": numbers}
            return (batches.Beside(x, side), *rest)

        return tf.data.Dataset.zip((inputs, *side)).map(together), steps


def held_out(data, batch_size):
    """Data to evaluate on, where Keras would drop the weights of rows without targets.

    Args:
        data: Arrays, alone or in a tuple, or anything else that Keras evaluates.
        batch_size: Integer, rows of a batch of arrays.
    """
    x, y, sample_weight = batches.unpack(data)
    if y is not None or sample_weight is None or not batches.is_arrays(x):
        return data
    count = num_batches(batches.num_rows(x), batch_size)
    return epochs(x, None, sample_weight, batch_size, shuffle=False).take(
        count).apply(tf.data.experimental.assert_cardinality(count))


def _check_sample(model, sample, data, name):
    """Checks arrays as a whole, or the first batch of `data`."""
    x, y, sample_weight = sample
    if batches.is_stream(data):
        BatchChecks(model).look(name, batches.packed(sample), 0)
    else:
        model.check_data(x, y)
        batches.check_finite(sample_weight, "sample weights")
    model.remember_targets(y)


def _num_batches(x, batch_size):
    """Batches of a set."""
    count = max(batches.num_rows(x) // batch_size, 1) if batches.is_arrays(x) else (
        batches.num_batches(x))
    if count is None:
        raise ValueError(
            "Expected sets of known length: say `steps_per_epoch`, the steps of an "
            "epoch. Received: a dataset of unknown or infinite length")
    return count


def _numbered(sets):
    """Sets of arrays, the inputs of each with the numbers of their rows."""
    found, first = {}, 0
    for name, (x, *rest) in sets.items():
        last = first + batches.num_rows(x)
        found[name] = ((x, np.arange(first, last)), *rest)
        first = last
    return found


def _endless(parts, batch_size, seed, start, shuffle, place):
    """Batches of a set in one shape, again and again."""
    if batches.is_arrays(parts[0]):
        batch_size = min(batch_size, batches.num_rows(parts[0]))
        return epochs(*parts, batch_size, seed, start, shuffle,
                      drop_remainder=True, stream=place)
    return parts[0].repeat().skip(start).map(
        lambda *batch: batches.packed(batches.unpack(batch)))
