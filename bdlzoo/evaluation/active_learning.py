"""Active learning: the model says which rows of a pool to label next.

    repeat: train on the labelled rows from the same initial weights
            measure on the test set
            score a random subset of the pool, label its best rows

Every round starts from the weights of the first one, since a warm start favours
what was labelled early, and takes the same number of steps on batches drawn with
replacement, so that their shapes never change: one compiled step serves all
rounds. It runs in `model.fit`, for which a round is one more dataset of the same
shapes; what it costs beside the steps is the making of an iterator. The prior
sees the number of labels through `num_data`, a weight.

All randomness is a function of the seed and the round, so that the labelled rows
are all there is to keep: a loop that was killed goes on bit for bit.

Reference: Gal, Islam and Ghahramani, Deep Bayesian Active Learning with Image
Data, ICML 2017.
"""

import dataclasses
import hashlib
import json
import math
import os
import pathlib

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import keras_internals, noise
from bdlzoo.evaluation import acquisition as acquisitions
from bdlzoo.likelihoods.likelihood import ClassLikelihood

_INITIAL, _CANDIDATES, _CHOICE, _BATCHES = range(4)  # What a key is for.
_STATE = "state.json"


@dataclasses.dataclass
class Curve:
    """What one loop gave, a list entry for each round.

    Args:
        labels: Integers, labelled rows that the round was trained on.
        accuracy: Floats, test accuracy of the mean over draws.
        nll: Floats, test negative log likelihood of it.
        rows: Lists of rows of the pool: those that the first round was given,
            those chosen after it, and so on; one more than there are rounds.
    """

    labels: list = dataclasses.field(default_factory=list)
    accuracy: list = dataclasses.field(default_factory=list)
    nll: list = dataclasses.field(default_factory=list)
    rows: list = dataclasses.field(default_factory=list)

    def first(self, count):
        """The curve of its first `count` rounds."""
        return Curve(self.labels[:count], self.accuracy[:count], self.nll[:count],
                     self.rows[:count + 1])

    def labels_to(self, accuracy):
        """Labels with which the accuracy is first reached; infinite if never."""
        return next((float(count) for count, reached
                     in zip(self.labels, self.accuracy) if reached >= accuracy),
                    math.inf)

    def accuracy_at(self, labels):
        """Accuracy of the round with so many labels."""
        if labels not in self.labels:
            raise ValueError("Expected a number of labels that some round had, "
                             f"{self.labels}. Received: labels={labels}")
        return self.accuracy[self.labels.index(labels)]


def balanced_rows(labels, per_class, seed=0):
    """Rows to start from: the same number of each class, drawn by the seed.

    The only place that looks at labels before they are asked for.

    Args:
        labels: Classes `[N]`.
        per_class: Integer, rows of each class.
        seed: Integer.

    Returns:
        Integers `[classes * per_class]`.
    """
    labels = np.reshape(labels, -1)
    if (labels != np.round(labels)).any():
        raise ValueError("Expected labels that are classes, whole numbers: active "
                         "learning is not for regression. Received: labels such "
                         f"as {labels[labels != np.round(labels)][0]}")
    order = noise.permutation(
        len(labels), noise.key(seed, noise.ORDER, _INITIAL)).numpy()
    classes, counts = np.unique(labels, return_counts=True)
    if not 1 <= per_class <= counts.min():
        raise ValueError(
            "Expected at least one row of each class, and no more than the "
            f"rarest has, {counts.min()}. Received: per_class={per_class}")
    return np.concatenate([order[labels[order] == c][:per_class] for c in classes])


class ActiveLearning:
    """Loops over a pool with one model, once for each acquisition function.

    Args:
        model: Compiled `PredictiveModel` of classes, not yet trained: the
            weights that it has now start every round.
        x: Inputs of the pool, an array `[N, ...]` or a structure of them.
        label: Function from rows, integers `[K]`, to their labels `[K]`; asked
            for the rows that were chosen, and for nothing else; after a resume,
            for those of earlier rounds once more.
        test: Pair `(x, y)` to measure on.
        initial: Integers, rows of the pool to start from.
        num_steps: Integer, steps of a round.
        batch_size: Integer.
        num_candidates: Integer, rows of the pool that a round scores, drawn anew
            each time; `None` scores all.
        seed: Integer, of the subsets, the batches and the choices.

    Example:

        loop = ActiveLearning(model, x, lambda rows: y[rows], (x_test, y_test),
                              initial=balanced_rows(y, 2))
        curve = loop.run("bald", num_rounds=28, count=10)
    """

    def __init__(self, model, x, label, test, initial, num_steps=300,
                 batch_size=32, num_candidates=2000, seed=0):
        if not isinstance(getattr(model, "likelihood", None), ClassLikelihood):
            kind = type(getattr(model, "likelihood", model)).__name__
            raise ValueError("Expected a model of classes, with a categorical or "
                             f"a Bernoulli likelihood. Received: {kind}")
        if not model.compiled:
            raise ValueError("Expected a compiled model: call "
                             "`model.compile(optimizer)` first.")
        for name, value in (("num_steps", num_steps), ("batch_size", batch_size)):
            _check_positive(name, value)
        self.model = model
        self.x = tf.nest.map_structure(np.asarray, x)
        self.label = label
        self.test = test
        self.initial = [int(row) for row in initial]
        self.num_steps = num_steps
        self.batch_size = batch_size
        self.size = len(tf.nest.flatten(self.x)[0])
        self.num_candidates = num_candidates or self.size
        self.seed = seed
        self._check_initial()
        model.build_once(self._take([0]))
        model.build_optimizers()
        self._variables = [*model.variables, *(
            variable for optimizer in _optimizers(model)
            for variable in optimizer.variables)]
        self._start = [v.numpy() for v in self._variables]

    def run(self, acquisition, num_rounds, count, folder=None, verbose=0):
        """Labels `count` rows in each of `num_rounds` rounds.

        Args:
            acquisition: One of `bdlzoo.evaluation.acquisition.NAMES`.
            num_rounds: Integer, rounds that choose rows; one more is trained.
            count: Integer, rows that a round labels.
            folder: Where the state is kept, after every round. Where there is one
                already, the loop goes on from it, with more rounds too.
            verbose: Integer, 1 for a progress bar over rounds with the time left.

        Returns:
            `Curve` of `num_rounds + 1` rounds.
        """
        acquisitions.check(acquisition)
        self.check_rounds(num_rounds, count)
        asked = self._asked(acquisition, count)
        curve = _read(folder, asked) or Curve(rows=[self.initial])
        done = len(curve.labels)
        labels = [self.label(np.array(rows)) for rows in curve.rows[:-1]]
        bar = keras.utils.Progbar(
            num_rounds + 1 - done, verbose=verbose, unit_name="round",
            stateful_metrics=["labels", "accuracy", "nll"])
        for place in range(done, num_rounds + 1):
            labels.append(self.label(np.array(curve.rows[-1])))
            rows = np.concatenate(curve.rows).astype(int)
            self._train(place, rows, np.concatenate(labels))
            accuracy, nll = self._test_scores()
            curve.labels.append(len(rows))
            curve.accuracy.append(accuracy)
            curve.nll.append(nll)
            curve.rows.append(self._choose(acquisition, place, rows, count))
            _write(folder, asked, curve)
            bar.update(place + 1 - done, [("labels", len(rows)),
                                          ("accuracy", accuracy), ("nll", nll)])
        return curve.first(num_rounds + 1)

    def check_rounds(self, num_rounds, count):
        """Raises where the pool is too small for so many rounds."""
        _check_positive("count", count)
        wanted = len(self.initial) + num_rounds * count
        if num_rounds < 0 or wanted > self.size:
            raise ValueError(
                f"Expected no more labels than the pool has rows, {self.size}. "
                f"Received: {len(self.initial)} initial labels and num_rounds="
                f"{num_rounds} of count={count}, {wanted} in all")
        if count > self.num_candidates:
            raise ValueError(
                "Expected to label no more rows than a round scores, "
                f"num_candidates={self.num_candidates}. Received: count={count}")

    def _train(self, place, rows, labels):
        """Trains from the initial weights; the noise starts again as well."""
        for variable, value in zip(self._variables, self._start, strict=True):
            variable.assign(value)
        self.model.fit(self._batches(place, rows, labels), num_data=len(rows),
                       steps_per_epoch=self.num_steps, verbose=0)

    def _batches(self, place, rows, labels):
        """Dataset of `num_steps` batches, drawn with replacement."""
        data = tf.nest.map_structure(
            tf.convert_to_tensor, (self._take(rows), labels))
        uniforms = noise.uniform([self.num_steps * self.batch_size],
                                 self._key(_BATCHES, place))
        order = tf.cast(len(rows) * uniforms, tf.int32)
        dataset = tf.data.Dataset.from_tensor_slices(order)
        # Whole batches only: the compiled step knows their size.
        return dataset.batch(self.batch_size, drop_remainder=True).map(
            lambda chosen: tf.nest.map_structure(
                lambda part: tf.gather(part, chosen), data))

    def _test_scores(self):
        prediction = self.model.predict_uncertainty(self.test[0])
        y = np.reshape(self.test[1], -1)
        return (float(np.mean(prediction.label == y)),
                -float(np.mean(prediction.log_prob(y))))

    def _choose(self, acquisition, place, rows, count):
        """Rows to label next, from a random subset of those without a label."""
        pool = np.setdiff1d(np.arange(self.size), rows)
        order = noise.permutation(len(pool), self._key(_CANDIDATES, place)).numpy()
        pool = pool[order[:self.num_candidates]]
        if not pool.size:
            return []
        prediction = self.model.predict_uncertainty(self._take(pool))
        best = acquisitions.choose(acquisition, prediction, min(count, len(pool)),
                                   self._key(_CHOICE, place))
        return pool[best].tolist()

    def _take(self, rows):
        return tf.nest.map_structure(lambda part: part[rows], self.x)

    def _key(self, purpose, place):
        return noise.key(self.seed, noise.ORDER, purpose, place)

    def _asked(self, acquisition, count):
        """What must be the same for a loop to go on."""
        weights = hashlib.sha256()
        for value in self._start:
            weights.update(value.tobytes())
        return {"acquisition": acquisition, "count": count, "seed": self.seed,
                "num_steps": self.num_steps, "batch_size": self.batch_size,
                "num_candidates": self.num_candidates, "pool": self.size,
                "initial": self.initial, "model_seed": self.model.seed,
                "num_samples": self.model.num_samples,
                "initial_weights": weights.hexdigest()}

    def _check_initial(self):
        wrong = [row for row in self.initial if not 0 <= row < self.size]
        if wrong or not self.initial or len({*self.initial}) != len(self.initial):
            raise ValueError(
                "Expected different rows of the pool to start from, at least one, "
                f"below {self.size}. Received: initial={self.initial[:20]}")


def _optimizers(model):
    """All optimisers, those of a model's parts too: what is distilled has its own."""
    found = {id(value): value for layer in keras_internals.layers(model)
             for value in vars(layer).values()
             if isinstance(value, keras.optimizers.Optimizer)}
    return list(found.values())


def _check_positive(name, value):
    if value < 1:
        raise ValueError(f"Expected at least 1. Received: {name}={value}")


def _read(folder, asked):
    """Curve of the rounds that were finished; `None` where there are none."""
    path = folder and pathlib.Path(folder, _STATE)
    if not path or not path.exists():
        return None
    state = json.loads(path.read_text())
    other = [name for name in asked if state["asked"].get(name) != asked[name]]
    if other:
        raise ValueError(
            "Expected a new folder, or one of this very loop: choose another, or "
            f"delete that one. Received: {path}, which differs in "
            f"{', '.join(other)}")
    return Curve(**state["curve"])


def _write(folder, asked, curve):
    """Writes the state, whole or not at all."""
    if folder is None:
        return
    path = pathlib.Path(folder, _STATE)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".part-{path.name}")
    with open(part, "w") as file:
        json.dump({"asked": asked, "curve": dataclasses.asdict(curve)}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
