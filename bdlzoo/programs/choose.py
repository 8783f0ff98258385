r"""Trains models on your data side by side, and says which one to take.

    bdlzoo choose --data=digits --budget=5 --workdir=runs/choice
    bdlzoo choose --data=rows.csv --target=price --network=MLP --budget=10 \
        --workdir=runs/prices

The data are the name of a set, or a file: npz with arrays x and y, or csv with a line
of names. The candidates are trained one after the other, the quickest first, as long as
the budget in minutes lasts. Validation rows decide. The report is in
WORKDIR/choice.html, and the models in WORKDIR/NAME/model.keras. The same command
continues a program that was stopped, also with a larger budget.
"""

import hashlib
import json
import logging
import pathlib

import numpy as np
from absl import flags

from bdlzoo import data
from bdlzoo.core.whole_file import write_json
from bdlzoo.data import table_file
from bdlzoo.evaluation.candidates import candidates
from bdlzoo.evaluation.choice import Choice
from bdlzoo.evaluation.choice_rows import choice_rows
from bdlzoo.evaluation.verdict import verdict
from bdlzoo.model import model_file
from bdlzoo.programs import console
from bdlzoo.reports.choice_report import choice_report, choice_table
from bdlzoo.runs.run_folder import is_empty, read_json

_DATA = flags.DEFINE_string("data", None, "Name of a data set, or path of a file.")
_TARGET = flags.DEFINE_string(
    "target", None, "Column of the targets in a csv file; the last one if empty.")
_TASK = flags.DEFINE_enum(
    "task", "auto", table_file.TASKS, "What the targets of a file are.")
_NETWORK = flags.DEFINE_string(
    "network", None, "Name of a network of the zoo, a dictionary with the name as "
    "`type` in JSON, or the file of a Keras model whose architecture is taken. Empty "
    "is SmallCNN for images and MLP for tables.")
_BUDGET = flags.DEFINE_float("budget", None, "Minutes of training.", lower_bound=0.0)
_WORKDIR = flags.DEFINE_string("workdir", None, "Folder of the results.")
_OUTSIDE = flags.DEFINE_string(
    "outside", None, "Name of a set of inputs that should look uncertain; a noisy copy "
    "of the test rows if empty.")
_EPOCHS = flags.DEFINE_integer("epochs", 20, "Passes over the data.", lower_bound=1)
_BATCH = flags.DEFINE_integer("batch_size", 32, "Rows of a step.", lower_bound=1)
_RATE = flags.DEFINE_float("learning_rate", 0.001, "Learning rate of Adam.")
_SEED = flags.DEFINE_integer("seed", 0, "Seed of splits, weights and noise.",
                             lower_bound=0)
console.required(data="digits", budget=5, workdir="runs/choice")

_VALIDATION = 0.2
_PERCEPTRON = {"type": "MLP", "hidden": (64, 64)}


def main(argv):
    del argv
    # It warns of models that are traced one after the other, as they are here.
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    with console.explained():
        splits, classes = _splits()
        rows = choice_rows(splits["train"], splits["validation"], splits["test"],
                           _OUTSIDE.value, _SEED.value)
        shape = splits["train"].x.shape[1:]
        likelihood, outputs = _task(splits["train"].y, classes)
        network = _network(shape)
        found = candidates(network, likelihood, shape, outputs, _SEED.value)
        workdir = pathlib.Path(_WORKDIR.value)
        _claim(workdir, splits)
        print(f"{len(splits['train'].x)} training rows of shape {shape}, " + (
            f"{classes} classes" if classes else "real targets"))
        trials, left_out = Choice(
            found, rows, workdir, _EPOCHS.value, _BATCH.value, _RATE.value,
            verbose=1).run(_BUDGET.value)
        content = _content(trials, left_out, splits)
        page = choice_report(content, workdir)
    print(choice_table(content))
    print(f"Take {content['take']}: {workdir / content['take'] / 'model.keras'}")
    for sentence in content["reasons"]:
        print(f"  {sentence}")
    print(f"Report in {page}")


def _splits():
    """Splits by name, and the number of classes, `None` for real targets."""
    name = _DATA.value
    if pathlib.Path(name).suffix in table_file.SUFFIXES:
        splits, classes = table_file.table_splits(
            name, _TARGET.value, _TASK.value, _SEED.value, _VALIDATION)
        return splits, classes and len(classes)
    options = {"seed": _SEED.value, "validation": _VALIDATION}
    splits = {split: data.load(name, split, **options)
              for split in ("train", "validation", "test")}
    return splits, data.describe(name, **options).num_classes


def _task(y, classes):
    """Likelihood of the targets, and the number of raw outputs that it needs."""
    if classes is None:
        return "heteroscedastic_gaussian", 2 * int(np.prod(y.shape[1:], dtype=int))
    if y.ndim > 1:
        raise ValueError("Expected one class for a row, not one for each pixel. "
                         f"Received: labels of shape {y.shape}")
    return "categorical", classes


def _network(shape):
    spec = _NETWORK.value
    if spec is None:
        return "SmallCNN" if len(shape) == 3 else _PERCEPTRON
    if spec.endswith(".keras"):
        return model_file.load(spec, "the file of a Keras model",
                               "Give another one as --network.")
    if not spec.startswith("{"):
        return spec
    try:
        return json.loads(spec)
    except ValueError as error:
        raise ValueError("Expected a name, a dictionary in JSON, or a file that ends "
                         f"in .keras. Received: network={spec}") from error


def _claim(workdir, splits):
    """Makes the folder; raises an error if it has results of other settings."""
    digest = hashlib.sha256()
    for split in splits.values():
        for part in split:
            digest.update(np.ascontiguousarray(part).tobytes())
    asked = {"data": _DATA.value, "rows": digest.hexdigest(),
             "network": _NETWORK.value, "outside": _OUTSIDE.value,
             "epochs": _EPOCHS.value, "batch_size": _BATCH.value,
             "learning_rate": _RATE.value, "seed": _SEED.value}
    path = workdir / "choose.json"
    there = read_json(path) if path.exists() else None
    other = [key for key in asked if there and there.get(key) != asked[key]]
    if other or there is None and workdir.is_dir() and not is_empty(workdir):
        raise ValueError(
            "Expected a new folder, or one with the same data and settings: choose "
            f"another --workdir. Received: workdir={workdir}" + (
                f", which differs in {', '.join(other)}" if other else ""))
    workdir.mkdir(parents=True, exist_ok=True)
    write_json(path, asked)


def _content(trials, left_out, splits):
    """What the report shows."""
    losses = {trial.name: np.asarray(trial.losses) for trial in trials}
    found = verdict(losses, {trial.name: trial.answer_ms for trial in trials},
                    {trial.name: trial.detection for trial in trials})
    models = {trial.name: {
        **trial.scores, "loss": float(np.mean(trial.losses)),
        "error": float(np.std(trial.losses, ddof=1) / np.sqrt(len(trial.losses))),
        "detection": trial.detection, "seconds": trial.seconds,
        "predicted": trial.predicted, "answer_ms": trial.answer_ms,
        "batch_ms": trial.batch_ms, "megabytes": trial.megabytes} for trial in trials}
    return {"title": f"Which model for {_DATA.value}?",
            "facts": {"Training rows": str(len(splits["train"].x)),
                      "Network": _NETWORK.value or "default",
                      "Epochs": str(_EPOCHS.value),
                      "Budget": f"{_BUDGET.value:g} minutes",
                      "Outside rows": _OUTSIDE.value or "noisy copy of the test rows"},
            "take": found.take, "alike": list(found.alike),
            "reasons": list(found.reasons), "left_out": left_out, "models": models}
