r"""Runs active learning with the model of a config.

    bdlzoo acquire --config=digits/mc_dropout.py \
        --workdir=runs/acquire --acquisitions=random,bald --rounds=10 --batch=10 \
        --seeds=2

Labels of the training split are not used until a row is chosen. The program writes
`curves.json`, `label_curves.png` and a folder for each curve. The same command
continues a program that was stopped; it may have more rounds, seeds or acquisition
functions.
"""

import json
import pathlib

import numpy as np
import tensorflow as tf
from absl import flags
from ml_collections import config_flags

from bdlzoo import runs
from bdlzoo.evaluation import acquisition
from bdlzoo.evaluation.active_learning import ActiveLearning, balanced_rows
from bdlzoo.programs import console
from bdlzoo.reports.label_curves import label_curves
from bdlzoo.runs.run_folder import read_json

_CONFIG = config_flags.DEFINE_config_file("config", None, "Config file.")
_WORKDIR = flags.DEFINE_string("workdir", None, "Folder of the curves.")
_ACQUISITIONS = flags.DEFINE_list(
    "acquisitions", ["random", "bald"],
    f"Acquisition functions: some of {', '.join(acquisition.NAMES)}.")
_ROUNDS = flags.DEFINE_integer("rounds", 10, "Number of rounds that label rows.",
                               lower_bound=0)
_BATCH = flags.DEFINE_integer("batch", 10, "Number of rows that a round labels.",
                              lower_bound=1)
_SEEDS = flags.DEFINE_integer("seeds", 1, "Number of curves of each function.",
                              lower_bound=1)
_INITIAL = flags.DEFINE_integer("initial", 2, "Initial labels of each class.",
                                lower_bound=1)
_STEPS = flags.DEFINE_integer("steps", 300, "Training steps of a round.",
                              lower_bound=1)
_CANDIDATES = flags.DEFINE_integer(
    "candidates", 2000, "Number of rows of the pool that a round scores.",
    lower_bound=1)
console.required(config="digits/mc_dropout.py", workdir="runs/acquire")


def main(argv):
    del argv
    # A run that was killed and continued must give exactly the same results.
    tf.config.experimental.enable_op_determinism()
    with console.explained():
        for name in _ACQUISITIONS.value:
            acquisition.check(name)
        workdir = pathlib.Path(_WORKDIR.value)
        curves = {name: [] for name in _ACQUISITIONS.value}
        for seed in range(_CONFIG.value.seed, _CONFIG.value.seed + _SEEDS.value):
            loop = _loop(_CONFIG.value, seed)
            loop.check_rounds(_ROUNDS.value, _BATCH.value)
            _claim(workdir)
            for name in curves:  # All curves of a seed use one compiled model.
                print(f"{name}, seed {seed}")
                curves[name].append(loop.run(
                    name, _ROUNDS.value, _BATCH.value, workdir / f"{name}-{seed}",
                    verbose=1))
        _write(workdir, curves)
    _table(curves)


def _loop(config, seed):
    config = config.copy_and_resolve_references()
    config.seed, config.epochs = seed, 1  # A schedule of the rate covers one round.
    splits = runs.load_data(config)
    x, y = splits["train"]
    model = runs.load_model(config, x.shape[1:], _STEPS.value)
    return ActiveLearning(
        model, x, lambda rows: y[rows], splits["test"],
        balanced_rows(y, _INITIAL.value, seed), num_steps=_STEPS.value,
        batch_size=config.batch_size, num_candidates=_CANDIDATES.value, seed=seed)


def _claim(workdir):
    """Makes the folder; raises an error if it has other curves."""
    asked = {"config": _CONFIG.value.to_dict(), "batch": _BATCH.value,
             "initial": _INITIAL.value, "steps": _STEPS.value,
             "candidates": _CANDIDATES.value}
    asked = json.loads(json.dumps(asked))  # Tuples become lists, as in the file.
    path = workdir / "acquire.json"
    if path.exists():
        there = read_json(path)
        other = [name for name in asked if there.get(name) != asked[name]]
        if other:
            raise ValueError(
                "Expected a new folder, or one with the same settings: choose another "
                f"--workdir, or delete this one. Received: workdir={workdir}, "
                f"which differs in {', '.join(other)}")
    elif workdir.exists() and any(workdir.iterdir()):
        raise ValueError(
            "Expected a new or empty folder, or one with the same settings: choose "
            f"another --workdir. Received: workdir={workdir}")
    else:
        workdir.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asked, indent=2) + "\n")


def _write(workdir, curves):
    content = {name: [{"labels": curve.labels, "accuracy": curve.accuracy,
                       "nll": curve.nll} for curve in of_seeds]
               for name, of_seeds in curves.items()}
    (workdir / "curves.json").write_text(json.dumps(content, indent=2) + "\n")
    labels = next(iter(curves.values()))[0].labels
    label_curves(labels, {name: [curve.accuracy for curve in of_seeds]
                          for name, of_seeds in curves.items()}
                 ).savefig(workdir / "label_curves.png")
    print(f"Curves in {workdir}")


def _table(curves):
    """Prints the mean accuracy over seeds, for at most five numbers of labels."""
    labels = next(iter(curves.values()))[0].labels
    places = np.unique(np.linspace(0, len(labels) - 1, 5).round().astype(int))
    width = max(map(len, ["labels", *curves]))
    print(f"  {'labels':<{width}}" + "".join(f"{labels[p]:9d}" for p in places))
    for name, of_seeds in curves.items():
        means = np.mean([curve.accuracy for curve in of_seeds], axis=0)
        print(f"  {name:<{width}}" + "".join(f"{means[p]:9.4f}" for p in places))
