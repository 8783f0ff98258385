"""Trains candidates side by side, the quickest first, as long as a budget lasts.

    time(candidate) = first steps + further steps * seconds of a step
    train           = candidates in rising order of time, if the time that is left is
                      enough

Every candidate has the same rows, epochs and batches. A temperature is fitted to one
half of the validation rows, and the other half decides; test rows decide nothing. All
that is known of a candidate is written when it is known, so that a choice that was
killed goes on, with the time that it has used.
"""

import dataclasses
import json
import math
import pathlib
import time
import typing

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core.folder_lock import folder_lock
from bdlzoo.core.whole_file import write_json
from bdlzoo.likelihoods.likelihood import ClassLikelihood
from bdlzoo.metrics import ranking

_SOME = 10  # Steps that are timed.
_SHARE = 0.25  # Of the budget, after which no more candidates are timed.
_REPEATS, _SECONDS = 30, 1.0  # Of an answer, at most.
_SEED = 0  # Of the draws of all answers.


class Rows(typing.NamedTuple):
    """Rows of a choice among models.

    Args:
        train: Pair of inputs and targets to train on.
        calibration: Pair, to which a temperature is fitted.
        decision: Pair, whose loss decides.
        test: Pair, for the figures of the report alone.
        outside: Inputs that should look uncertain.

    Example:

        rows = bdlzoo.evaluation.choice.Rows(
            train=(x, y), calibration=(x_val, y_val), decision=(x_val, y_val),
            test=(x_test, y_test), outside=noise_images)
    """

    train: tuple
    calibration: tuple
    decision: tuple
    test: tuple
    outside: np.ndarray


@dataclasses.dataclass
class Trial:
    """What is known of a candidate that was trained.

    Args:
        name: String, name of the candidate.
        seconds: Float, time of training.
        predicted: Float, the same as it was expected.
        scores: Dictionary of the scores of test rows.
        detection: Float, AUROC of its uncertainty, test rows against outside ones.
        answer_ms: Float, milliseconds of an answer for one row.
        batch_ms: Float, the same for a hundred rows.
        megabytes: Float, MiB of its weights.
        losses: List of negative log likelihoods of the rows that decide.

    Example:

        trial = bdlzoo.evaluation.choice.Trial(
            "one", seconds=20.0, predicted=18.0, scores={"nll": 0.3}, detection=0.9,
            answer_ms=0.5, batch_ms=1.2, megabytes=0.2, losses=[0.2, 0.4])
    """

    name: str
    seconds: float
    predicted: float
    scores: dict
    detection: float
    answer_ms: float
    batch_ms: float
    megabytes: float
    losses: list


class Choice:
    """Trains candidates within a budget.

    Args:
        candidates: Dictionary from a name to a function that builds a model, as
            `bdlzoo.evaluation.candidates.candidates` returns it.
        rows: `Rows` to train on, to decide by, and for the figures.
        folder: Folder of the results.
        epochs: Integer, passes over the training rows.
        batch_size: Integer, rows of a step.
        learning_rate: Float, of Adam.
        verbose: Progress bar of `fit`: 0, 1 or 2.

    Example:

        trials, left_out = Choice(candidates, rows, "runs/choice").run(minutes=5)
    """

    def __init__(self, candidates, rows, folder, epochs=20, batch_size=32,
                 learning_rate=0.001, verbose=0):
        self.candidates = candidates
        self.rows = rows
        self.folder = pathlib.Path(folder)
        self.epochs = epochs
        self.batch_size = min(batch_size, len(rows.train[0]))
        self.learning_rate = learning_rate
        self.verbose = verbose

    def run(self, minutes, tell=print):
        """Trains what fits into a budget.

        Args:
            minutes: Float, the budget, those of earlier runs in the folder included.
            tell: Function of a line of text, which says what happens.

        Returns:
            Pair: list of `Trial`, in the order of training, and a dictionary from the
            name of each candidate that was left out to the reason.

        Raises:
            ValueError: If the quickest candidate does not fit.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with folder_lock(self.folder, wait=False):
            return self._run(60.0 * minutes, tell)

    def _run(self, budget, tell):
        times = self._times(budget, tell)
        used = times.pop("timing")
        trials, left_out = [], dict.fromkeys(
            self.candidates.keys() - times.keys(), "no time was left to time it")
        for name in sorted(times, key=times.get):
            trial, left = self._kept(name), max(0.0, budget - used)
            if trial is None and times[name] > left:
                left_out[name] = (f"it would take {times[name]:.0f} s, and {left:.0f} "
                                  "were left")
                tell(f"{name}: left out, {left_out[name]}")
                continue
            if trial is None:
                tell(f"{name}: training, about {times[name]:.0f} s")
                trial = self._train(name, times[name])
            tell(f"{name}: took {trial.seconds:.0f} s, validation loss "
                 f"{np.mean(trial.losses):.3f}")
            trials.append(trial)
            used += trial.seconds
        if not trials:
            quickest = min(times, key=times.get)
            needed = (used + times[quickest]) / 60.0
            raise ValueError(
                f"Expected a budget of at least {math.ceil(10.0 * needed) / 10.0} "
                f"minutes, which {quickest} needs, or fewer epochs. Received: "
                f"budget={budget / 60.0:g}, epochs={self.epochs}")
        return trials, left_out

    def _times(self, budget, tell):
        """Seconds of training by candidate, and those that timing took."""
        path = self.folder / "times.json"
        times = json.loads(path.read_text()) if path.exists() else {"timing": 0.0}
        for name, build in self.candidates.items():
            if name in times or len(times) > 1 and times["timing"] > _SHARE * budget:
                continue
            begin = time.monotonic()
            times[name] = self._time(self._compiled(build))
            times["timing"] += time.monotonic() - begin
            write_json(path, times)
            tell(f"{name}: {times[name]:.0f} s by its first steps")
        return times

    def _time(self, model):
        x, y = self.rows.train
        steps = math.ceil(len(x) / self.batch_size)
        some = min(steps, _SOME)
        x, y = x[:some * self.batch_size], y[:some * self.batch_size]
        taken = []
        for _ in range(2):  # The first time has the making of the graphs.
            begin = time.monotonic()
            model.fit(x, y, batch_size=self.batch_size, verbose=0)
            taken.append(time.monotonic() - begin)
        return taken[0] + taken[1] * (self.epochs * steps / some - 1.0)

    def _compiled(self, build):
        model = build()
        model.compile(keras.optimizers.Adam(self.learning_rate))
        return model

    def _train(self, name, predicted):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        model = self._compiled(self.candidates[name])
        clock = _Clock(folder / "spent.json", self._spent(name))
        model.fit(*self.rows.train, batch_size=self.batch_size, epochs=self.epochs,
                  verbose=self.verbose, checkpoint_dir=folder / "checkpoints",
                  callbacks=[clock])
        model.calibrate(*self.rows.calibration, seed=_SEED)
        seconds = clock.seconds()
        trial = Trial(name, seconds, predicted, **self._measured(model))
        model.save(folder / "model.keras")
        write_json(folder / "trial.json", dataclasses.asdict(trial))
        return trial

    def _measured(self, model):
        x, y = self.rows.decision
        losses = -model.predict_uncertainty(x, seed=_SEED).log_prob(y)
        test_x, test_y = self.rows.test
        found = model.evaluate(test_x, test_y, return_dict=True, verbose=0)
        known, strange = (_uncertainty(model, part)
                          for part in (test_x, self.rows.outside))
        return {
            "losses": np.reshape(losses, [len(x), -1]).mean(axis=1).tolist(),
            "scores": {key: float(value) for key, value in found.items()},
            "detection": float(ranking.auroc(
                np.concatenate([known, strange]),
                np.repeat([False, True], [len(known), len(strange)]))),
            "answer_ms": _answer_ms(model, test_x, 1),
            "batch_ms": _answer_ms(model, test_x, 100),
            "megabytes": sum(np.asarray(w).nbytes for w in model.weights) / 2**20}

    def _kept(self, name):
        path = self.folder / name / "trial.json"
        return Trial(**json.loads(path.read_text())) if path.exists() else None

    def _spent(self, name):
        """Seconds of training that was killed and will go on."""
        path = self.folder / name / "spent.json"
        if self._kept(name) or not path.exists():
            return 0.0
        return json.loads(path.read_text())["seconds"]


class _Clock(keras.callbacks.Callback):
    """Writes the seconds of training at epoch ends, with those before a kill."""

    def __init__(self, path, before):
        super().__init__()
        self.path, self.before = path, before
        self.begin = time.monotonic()

    def seconds(self):
        """Seconds up to now."""
        return self.before + time.monotonic() - self.begin

    def on_epoch_end(self, epoch, logs=None):
        write_json(self.path, {"seconds": self.seconds()})


def _uncertainty(model, x):
    prediction = model.predict_uncertainty(x, seed=_SEED)
    if isinstance(model.likelihood, ClassLikelihood):
        return np.ravel(prediction.predictive_entropy)
    return np.reshape(prediction.std, [len(x), -1]).mean(axis=1)


def _answer_ms(model, x, rows):
    """Median time of an answer with all its measures, in milliseconds."""
    answer = tf.function(model.measures)
    x = tf.convert_to_tensor(np.resize(x, [rows, *x.shape[1:]]))
    answer(x)  # Makes the graph.
    taken, end = [], time.perf_counter() + _SECONDS
    while len(taken) < _REPEATS and (not taken or time.perf_counter() < end):
        begin = time.perf_counter()
        tf.nest.map_structure(np.asarray, answer(x))
        taken.append(time.perf_counter() - begin)
    return 1000.0 * float(np.median(taken))
