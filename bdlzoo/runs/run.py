"""A training run and its folder.

Every run has its own folder with the config (`config.json`), the versions of packages
(`versions.json`), the logs of all epochs (`history.csv`), the scores (`metrics.json`),
checkpoints and the model (`model.keras`). A run that is started again with the same
config continues from its last epoch. A folder of another run is never changed, and only
one process at a time works in a folder.
"""

import contextlib
import functools
import importlib.metadata
import json
import math
import os
import pathlib

import numpy as np
import tensorflow as tf
from absl import logging

from bdlzoo import data, reports
from bdlzoo.core import seal, strategies
from bdlzoo.core.differences import differences
from bdlzoo.core.file_error import FileError, reading
from bdlzoo.core.whole_file import json_text, write_json
from bdlzoo.data.epochs import num_batches
from bdlzoo.data.keep_labels import labelled
from bdlzoo.evaluation.evaluation import evaluate
from bdlzoo.evaluation.outside_sets import ALWAYS, outside_sets
from bdlzoo.model import checkpoint, model_file
from bdlzoo.model.predictive_model import PredictiveModel
from bdlzoo.model.training_data import TrainingData
from bdlzoo.reports.write_pictures import write_pictures
from bdlzoo.reports.write_report import write_report
from bdlzoo.runs.build import data_options, load_data, load_model
from bdlzoo.runs.config import plain
from bdlzoo.runs.fit_options import fit_options
from bdlzoo.runs.history_file import HistoryFile, read_history
from bdlzoo.runs.run_folder import (
    RunFolder,
    config_errors,
    config_of,
    is_empty,
    read_json,
)
from bdlzoo.runs.side_sets import load_side_set

_PACKAGES = ("bdlzoo", "keras", "numpy", "tensorflow", "tensorflow-probability")
_AGAIN = "To make it again from the last checkpoint, delete the file."


class Run:
    """One training run and its folder.

    Args:
        config: `ConfigDict` that `read_config` returned.
        workdir: Folder of the run: new, empty, or of a run of the same config. With
            several workers, only the chief writes to it.
        strategy: `tf.distribute.Strategy` to train with; `None` for one device.
    """

    counts = ("batch_size", "epochs")  # Keys of the config that are at least 1.

    def __init__(self, config, workdir, strategy=None):
        self.config = config
        self.workdir = pathlib.Path(workdir)
        self.strategy = strategy or tf.distribute.get_strategy()
        self.config_file = None  # Where the config comes from, if from the folder.
        self._folder = RunFolder(workdir)
        self._check_config()
        self._check_workdir()

    @functools.cached_property
    def data(self):
        with config_errors(self.config_file):
            return load_data(self.config)

    @functools.cached_property
    def model(self):
        """The trained model if there is one, otherwise a new one."""
        if self.finished():
            return self._saved_model()
        with self.strategy.scope():
            return self._new_model()

    def _new_model(self):
        x = self.data["train"].x
        steps = num_batches(len(x), self.config.batch_size)
        scale = self.target_scale
        return self._signed(load_model(self.config, x.shape[1:], steps,
                                       None if scale is None else scale[1]))

    def _signed(self, model):
        """The model, with the config that its files will carry."""
        model.run_config = json_text(self.config.to_dict())
        return model

    @functools.cached_property
    def target_scale(self):
        """Mean and standard deviation of the targets before they were standardised."""
        with config_errors(self.config_file):
            return data.describe(**data_options(self.config)).target_scale

    def finished(self):
        """Whether the folder has the trained model."""
        return (self.workdir / "model.keras").exists()

    def check_finished(self):
        """Raises an error if there is no trained model yet."""
        if not self.finished():
            raise ValueError("Expected a finished run: run `bdlzoo train` again with "
                             "its config to continue it. Received: workdir="
                             f"{self.workdir}, without `model.keras`")
        self._check_trained_config()

    @property
    def is_chief(self):
        """Whether this process writes files; only one of several workers does."""
        return strategies.is_chief(self.strategy)

    def owned(self):
        """Context in which only this process works in the folder.

        It makes the folder, and removes what writers that were killed have left.
        """
        return self._folder.owned(self._check_workdir) if self.is_chief else (
            contextlib.nullcontext())

    def record(self):
        """Checks the data, then makes the folder and its first files."""
        # Before anything is written.
        TrainingData.of(self.model, *self._rows("train")).check(self.model)
        if self.is_chief:
            self.write_config()

    def write_config(self):
        """Makes the folder, and writes the config and the versions of packages."""
        self.workdir.mkdir(parents=True, exist_ok=True)
        if not (self.workdir / "config.json").exists():
            write_json(self.workdir / "config.json", self.config.to_dict())
        if not (self.workdir / "versions.json").exists():
            write_json(self.workdir / "versions.json", (
                {name: importlib.metadata.version(name) for name in _PACKAGES}))

    def fit(self, callbacks=(), verbose="auto"):
        """Trains the model, and continues after the last finished epoch.

        Args:
            callbacks: List of callbacks of Keras.
            verbose: Argument of `keras.Model.fit`.
        """
        if verbose and self.is_chief:
            weights = self.model.trainable_variables
            print(f"{type(self.model).__name__}: "
                  f"{sum(math.prod(w.shape) for w in weights):,} trainable weights")
        x, y = self._rows("train")
        self.model.fit(
            x, y, batch_size=self.config.batch_size,
            epochs=self.config.epochs, verbose=verbose if self.is_chief else 0,
            validation_data=self._rows("validation") if "validation" in self.data
            else None, validation_batch_size=256,
            checkpoint_dir=self.workdir / "checkpoints", **self._side_sets(),
            **fit_options(self.config, self.model, y),
            callbacks=[HistoryFile(self.workdir / "history.csv"), *callbacks]
            if self.is_chief else [])

    def _rows(self, split):
        """Inputs and targets of a split; targets are `None` for models without them."""
        x, y = self.data[split]
        return x, None if self.model.targets == "none" else y

    def settle(self):
        """Copies the trained weights to one device, which does all that follows."""
        if self.strategy.num_replicas_in_sync > 1:
            model = self._new_model()
            model.build_optimizers()
            checkpoint.restore(model, self.workdir / "checkpoints")
            self.model = model

    def _side_sets(self):
        """Further sets for `fit`, which the config names in `side_sets`."""
        return {word: self._side_set(word) if word in self.model.labelled_side_sets
                else self._side_set(word).x for word in self._side_words()}

    def _side_words(self):
        return [word for word, name in self.config.get("side_sets", {}).items()
                if name is not None]

    def _side_set(self, word, split="train"):
        """Rows of another set, in the shape of this one."""
        return load_side_set(self.config.side_sets[word],
                             self.data["train"].x.shape[1:], split,
                             self.config.data.get("data_dir"))

    def _labelled_tests(self):
        """Test rows of the side sets whose labels are for scores, by name."""
        return {word: self._side_set(word, "test") for word in self._side_words()
                if word in self.model.labelled_side_sets}

    def finish(self):
        """Runs the steps after `fit`: those of the model, then calibration."""
        held_out = self.data.get("validation")
        self.model.after_fit(self.data["train"], held_out,
                             **plain(self.config.get("after_fit", {})))
        if self.config.get("calibrate") and held_out is not None:
            temperature = self.model.calibrate(*held_out)
            logging.info("Calibrated: temperature %.3f", temperature)

    def findings(self):
        """Results of the model besides its scores, as `RunHooks.findings` returns."""
        return self.model.findings()

    def save(self):
        """Writes the model as a whole file, with the config of the run in it."""
        self.model.save(self.workdir / "model.keras")

    def evaluate(self):
        """Scores the test split, writes `metrics.json`, and returns the scores."""
        metrics = self.model.evaluate(*self._rows("test"), batch_size=256,
                                      verbose=0, return_dict=True)
        metrics = {name: float(value) for name, value in metrics.items()}
        for word, test in self._labelled_tests().items():
            found = self.model.evaluate(*test, batch_size=256, verbose=0,
                                        return_dict=True)
            metrics.update({f"{word}_{name}": float(value)
                            for name, value in found.items()})
        metrics.update(self.model.facts())
        scale = self.target_scale
        # Targets were standardised, so scores are converted to their units.
        if scale is not None and "rmse" in metrics:
            metrics["rmse_raw"] = metrics["rmse"] * scale[1]
            metrics["nll_raw"] = metrics["nll"] + float(np.log(scale[1]))
            if "epiw" in metrics:
                metrics["epiw_raw"] = metrics["epiw"] * scale[1]
        write_json(self.workdir / "metrics.json", metrics)
        return metrics

    def examine(self, outside=None, input_scale=1.0, shift=1000, verbose=0,
                influence=0, word=None):
        """Runs all protocols on the test split.

        Args:
            outside: List of names of other sets, as in `evaluation.outside_sets`;
                `None` takes noise and permuted pixels for images.
            input_scale: Float, factor of the other sets.
            shift: Integer, number of images to corrupt; 0 for none.
            verbose: Integer, 1 shows progress bars.
            influence: Integer, training images to explain answers by; 0 for none.
            word: Word of a side set, for its test rows; `None` for those of the run.

        Returns:
            `Evaluation`.
        """
        if not self.predicts_labels:
            raise self.model.refusal("examine")
        test = self.data["test"] if word is None else self._side_set(word, "test")
        images = test.x.ndim == 4 and test.y.ndim < 3  # Not of a class a pixel.
        classes = hasattr(self.model.likelihood, "from_logits")
        train = labelled(self.data["train"]) if classes else self.data["train"]
        if outside is None:
            outside = ALWAYS if images and classes else ()
        options = data_options(self.config)
        sets = outside_sets(outside, test.x, scale=input_scale,
                            data_dir=options.get("data_dir"))
        return evaluate(
            self.model, test, outside=sets,
            name=self.workdir.name + (f", {word}" if word else ""),
            class_names=data.class_names(**options) if classes else None,
            shift=shift if images and classes else 0, train=train,
            seed=self.model.seed, verbose=verbose, influence=influence)

    def examine_all(self, **options):
        """Results of `examine` by prefix: of the run, and of labelled side sets."""
        return {f"{word}_" if word else "": self.examine(word=word, **options)
                for word in (None, *self._labelled_tests())}

    def report(self, **options):
        """Writes `metrics.json`, `plots/` and `report.html`.

        Args:
            **options: Arguments of `examine`; a model without labels ignores them.

        Returns:
            Dictionary, the content of `metrics.json`.
        """
        with self.owned():
            return self._report(**options)

    def _report(self, **options):
        metrics, title = self.evaluate(), f"Run {self.workdir.name}"
        figures = {name: getattr(reports, kind)(**arguments) for name, (
            kind, arguments) in self._pictures().items()}
        if not self.predicts_labels:
            write_pictures(figures, self.workdir, title, metrics)
            return metrics
        evaluations = self.examine_all(**options)
        for word, found in evaluations.items():
            metrics.update({word + name: number
                            for name, number in found.metrics().items()})
        write_json(self.workdir / "metrics.json", metrics)
        write_report(list(evaluations.values()), self.workdir, title, figures)
        return metrics

    def _pictures(self):
        further = self._labelled_tests()
        if further:
            further["history"] = read_history(self.workdir / "history.csv")
        return self.model.pictures(self.data["test"].x, **further)

    @property
    def predicts_labels(self):
        """Whether the model predicts labels, so that `examine` applies."""
        return isinstance(self.model, PredictiveModel)

    def complete(self, **kwargs):
        """Runs all steps from training to scores that are not finished yet.

        Args:
            **kwargs: Arguments of `fit`.

        Returns:
            Dictionary of scores; nothing in a worker that is not the chief.
        """
        with self.owned():
            return self._complete(**kwargs)

    def _complete(self, **kwargs):
        self.record()
        finished = self.finished()
        if not finished:
            self.fit(**kwargs)
        if not self.is_chief:
            return {}
        if not finished:
            self.settle()
            self.finish()
            self.save()
        if (self.workdir / "metrics.json").exists():
            return read_json(self.workdir / "metrics.json")
        return self.evaluate()

    @classmethod
    def reopen(cls, workdir):
        """Opens the run of a folder, by the config in the folder."""
        path, config = config_of(workdir)
        with config_errors(path):
            run = cls(config, workdir)
        run.config_file = path
        return run

    def _saved_model(self):
        path = self.workdir / "model.keras"
        self._check_trained_config()
        return model_file.load(path, "the model that this run saved", _AGAIN)

    def _check_trained_config(self):
        """Raises an error if the config is not that of the trained model."""
        path = self.workdir / "model.keras"
        with reading(path, "the model that this run saved", _AGAIN):
            there = (seal.facts_of(path) or {}).get("config")
        here = json.loads(json_text(self.config.to_dict()))
        if there is not None and there != here:
            raise FileError(
                self.workdir / "config.json", "the config that `model.keras` was "
                "trained with", "Restore the file, or train again in another folder.",
                "it was changed: " + ", ".join(differences(there, here, "config")))

    def _check_config(self):
        config = self.config
        for name in self.counts:
            if config[name] < 1:
                raise ValueError("Expected at least 1. Received: "
                                 f"config.{name}={config[name]}")

    def _check_workdir(self):
        """Raises an error if the folder is not for this run; writes nothing."""
        folder, path = self.workdir, self.workdir / "config.json"
        if path.exists():
            there = read_json(path)
            here = json.loads(json_text(self.config.to_dict()))
            if there != here:
                raise ValueError(
                    "Expected a new folder, or one of the same config. Choose "
                    "another --workdir, or delete this one. Received: "
                    f"workdir={folder}, whose config differs in "
                    f"{', '.join(differences(there, here, 'config'))}")
            return
        if folder.exists() and (not folder.is_dir() or not is_empty(folder)):
            raise ValueError(
                "Expected a new or empty folder, or that of a run: choose another "
                f"--workdir. Received: workdir={folder}")
        parent = folder
        while not parent.exists():
            parent = parent.parent
        if not os.access(parent, os.W_OK) or not parent.is_dir():
            raise ValueError("Expected a folder that can be written: choose "
                             "another --workdir. Received: "
                             f"workdir={folder}, where {parent} is not writable")
