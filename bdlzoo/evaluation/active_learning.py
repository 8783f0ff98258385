"""Active learning: the model chooses which rows of a pool to label next.

    repeat: train on the labelled rows from the same initial weights
            measure on the test set
            score a random subset of the pool, label its best rows

Every round starts from the same initial weights, because a warm start favours rows
that were labelled early. Every round takes the same number of steps, on batches drawn
with replacement. Their shapes never change, so one compiled step is used in all
rounds. A round is one call of `model.fit` with another dataset of the same shapes.
The weight `num_data` tells the prior how many labels there are.

All randomness is a function of the seed and the round, so the labelled rows are the
whole state: a loop that was killed continues with exactly the same results.

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
    """Results of one loop, an entry of each list for each round.

    Args:
        labels: Integers, number of labelled rows that a round was trained on.
        accuracy: Floats, test accuracy of the mean over draws.
        nll: Floats, negative log likelihood of the test set under this mean.
        rows: Lists of rows of the pool: the initial rows, the rows chosen after the
            first round, and so on. It has one list more than there are rounds.
    """

    labels: list = dataclasses.field(default_factory=list)
    accuracy: list = dataclasses.field(default_factory=list)
    nll: list = dataclasses.field(default_factory=list)
    rows: list = dataclasses.field(default_factory=list)

    def first(self, count):
        """The curve of the first `count` rounds."""
        return Curve(self.labels[:count], self.accuracy[:count], self.nll[:count],
                     self.rows[:count + 1])

    def labels_to(self, accuracy):
        """Number of labels at which an accuracy is first reached, or infinity."""
        return next((float(count) for count, reached
                     in zip(self.labels, self.accuracy) if reached >= accuracy),
                    math.inf)

    def accuracy_at(self, labels):
        """Accuracy of the round with this number of labels."""
        if labels not in self.labels:
            raise ValueError("Expected the number of labels of a round, one of "
                             f"{self.labels}. Received: labels={labels}")
        return self.accuracy[self.labels.index(labels)]


def balanced_rows(labels, per_class, seed=0):
    """Draws rows to start from, the same number of each class.

    No other function of this file reads labels of rows that were not chosen.

    Args:
        labels: Classes `[N]`.
        per_class: Integer, number of rows of each class.
        seed: Integer, seed of the draw.

    Returns:
        Integers `[classes * per_class]`, indices of rows.

    Example:

        rows = bdlzoo.evaluation.balanced_rows(y, per_class=2)
    """
    labels = np.reshape(labels, -1)
    if (labels != np.round(labels)).any():
        raise ValueError("Expected whole numbers as labels, since active learning "
                         "is for classes and not for regression. Received: labels "
                         f"such as {labels[labels != np.round(labels)][0]}")
    order = noise.permutation(
        len(labels), noise.key(seed, noise.ACQUIRE, _INITIAL)).numpy()
    classes, counts = np.unique(labels, return_counts=True)
    if not 1 <= per_class <= counts.min():
        raise ValueError(
            "Expected at least one row of each class, and at most as many as the "
            f"rarest class has, {counts.min()}. Received: per_class={per_class}")
    return np.concatenate([order[labels[order] == c][:per_class] for c in classes])


class ActiveLearning:
    """Runs loops of active learning over a pool with one model.

    Args:
        model: Compiled `PredictiveModel` of classes that is not trained yet. Every
            round starts from the weights that it has now.
        x: Inputs of the pool, an array `[N, ...]` or a structure of arrays.
        label: Function from indices of rows, integers `[K]`, to their labels `[K]`.
            It is called only for rows that were chosen. A loop that is continued
            calls it again for the rows of earlier rounds.
        test: Pair `(x, y)` of arrays, the test set.
        initial: Integers, indices of rows of the pool to start from.
        num_steps: Integer, training steps of a round.
        batch_size: Integer, rows of a training batch.
        num_candidates: Integer, number of rows of the pool that a round scores; they
            are drawn again in every round. `None` scores all rows.
        seed: Integer, seed of the candidates, the batches and the choices.

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
                             f"Bernoulli likelihood. Received: {kind}")
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
            num_rounds: Integer, number of rounds that choose rows. The model is
                trained once more after the last of them.
            count: Integer, number of rows that a round labels.
            folder: Folder for the state, written after every round; `None` writes
                nothing. If it holds the state of this loop, the loop continues from
                there. `num_rounds` may be larger than before.
            verbose: Integer, 1 shows a progress bar over rounds.

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
        """Raises an error if the pool is too small for this number of rounds."""
        _check_positive("count", count)
        wanted = len(self.initial) + num_rounds * count
        if num_rounds < 0 or wanted > self.size:
            raise ValueError(
                f"Expected at most as many labels as the pool has rows, {self.size}. "
                f"Received: {len(self.initial)} initial labels and num_rounds="
                f"{num_rounds} with count={count}, {wanted} in all")
        if count > self.num_candidates:
            raise ValueError(
                "Expected to label at most as many rows as a round scores, "
                f"num_candidates={self.num_candidates}. Received: count={count}")

    def _train(self, place, rows, labels):
        """Trains from the initial weights, with the noise of a new training."""
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
        # Only whole batches, because the size of a batch is compiled into the step.
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
        return noise.key(self.seed, noise.ACQUIRE, purpose, place)

    def _asked(self, acquisition, count):
        """Settings that must be the same for a loop to continue."""
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
                "Expected one or more different rows of the pool to start from, from "
                f"0 to {self.size - 1}. Received: initial={self.initial[:20]}")


def _optimizers(model):
    """All optimisers of a model and of its parts, such as a distilled student."""
    found = {id(value): value for layer in keras_internals.layers(model)
             for value in vars(layer).values()
             if isinstance(value, keras.optimizers.Optimizer)}
    return list(found.values())


def _check_positive(name, value):
    if value < 1:
        raise ValueError(f"Expected at least 1. Received: {name}={value}")


def _read(folder, asked):
    """Curve of the rounds that were finished, or `None`."""
    path = folder and pathlib.Path(folder, _STATE)
    if not path or not path.exists():
        return None
    state = json.loads(path.read_text())
    other = [name for name in asked if state["asked"].get(name) != asked[name]]
    if other:
        raise ValueError(
            "Expected a new folder, or the folder of the same loop: choose another "
            f"folder, or delete this one. Received: {path}, which differs in "
            f"{', '.join(other)}")
    return Curve(**state["curve"])


def _write(folder, asked, curve):
    """Writes the state as a whole file."""
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
