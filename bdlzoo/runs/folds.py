"""Runs on all folds of a data set, which are trained side by side.

If `data.fold` of a config is `None`, the run trains all folds at once, as one network
with a copy for each fold. Keys of the config that are `None` get the values of the data
set in its `chosen` and `by_set`. If the dropout rate and the precision of the noise are
still `None`, or if `select` is set, they are chosen from a grid by the likelihood of
held-out training rows. The folds are then trained on all training rows.
"""

import functools

import ml_collections
import numpy as np

from bdlzoo import data
from bdlzoo.core import registry
from bdlzoo.core.whole_file import write_json
from bdlzoo.data.epochs import num_batches
from bdlzoo.data.folder import num_folds
from bdlzoo.evaluation.fold_scores import fold_scores, merge
from bdlzoo.methods import DeepEnsemble
from bdlzoo.runs.agent_run import AgentRun
from bdlzoo.runs.build import data_options, load_model
from bdlzoo.runs.run import HistoryFile, Run
from bdlzoo.runs.run_folder import config_errors, config_of, read_json

_SELECT = ("recorded", "fold_0", "each_fold")
_PASSES = 100  # Most passes over the data between two checkpoints.
_ONE_SPLIT = ("Expected a run on one fold to report on or to export: train it with "
              "--config.data.fold=0. Received: {}, a run on all folds, which has only "
              "the scores in `metrics.json`")
_HELD_OUT = 0.2  # Share of the training rows, for the choice from a grid.


def open_run(config, workdir, strategy=None):
    """Opens the run of a config, on one split or on all folds.

    Args:
        config: `ConfigDict` that `read_config` returned.
        workdir: Folder of the run.
        strategy: `tf.distribute.Strategy` to train with; `None` for one device. A run
            on all folds needs one device.

    Example:

        config = bdlzoo.runs.read_config("digits/mc_dropout.py", "smoke")
        run = bdlzoo.runs.open_run(config, "runs/a")
        run.complete(verbose=0)
    """
    if "world" in config:
        return AgentRun(config, workdir, strategy)
    config = filled(config)
    if config.get("select", "recorded") not in _SELECT:
        raise ValueError(f"Expected one of {_SELECT}. Received: "
                         f"config.select={config.select!r}")
    choose = "grid" in config and (config.select != "recorded" or None in (
        config.network.dropout, config.precision))
    if config.data.get("fold", 0) is None:
        if strategy is not None and strategy.num_replicas_in_sync > 1:
            raise ValueError(
                "Expected one device for a run on all folds: to use several devices, "
                "train one fold with --config.data.fold=0. Received: "
                f"{strategy.num_replicas_in_sync} replicas")
        return (SelectedRun if choose else FoldsRun)(config, workdir)
    if choose:
        raise ValueError(
            "Expected --config.network.dropout and --config.precision, since the "
            "config has no values for this data set; a run on all folds chooses them "
            f"and writes `chosen.json`. Received: config.data.fold={config.data.fold}, "
            f"config.network.dropout={config.network.dropout}, "
            f"config.precision={config.precision}, config.select={config.select!r}")
    return Run(config, workdir, strategy)


def reopen(workdir):
    """Opens the run of a folder, by the config in the folder.

    Args:
        workdir: Folder of the run.
    """
    path, config = config_of(workdir)
    with config_errors(path):
        run = open_run(config, workdir)
    run.config_file = path
    return run


class FoldsRun(Run):
    """One training run on all folds, and its folder.

    Args:
        config: Config of the run. If `data.folds` is in it, only these folds are
            trained.
        workdir: Folder of the run, new, empty, or of the same config.
        strategy: `tf.distribute.Strategy` of one device, or `None`.
    """

    def __init__(self, config, workdir, strategy=None):
        super().__init__(config, workdir, strategy)
        self._method, self.repeats = _members(self.config.method.to_dict())

    @functools.cached_property
    def folds(self):
        options = self.config.data.to_dict()
        options.pop("fold")
        limit = options.pop("limit", None)
        loaded = data.load_folds(**options, repeats=self.repeats)
        if limit is None:
            return loaded
        kept = limit * self.repeats * len(loaded.target_scales)
        return loaded._replace(splits={
            name: data.Split(*(part[:kept] for part in split))
            for name, split in loaded.splits.items()})

    @property
    def data(self):
        return self.folds.splits

    @property
    def copies(self):
        """Number of networks side by side."""
        return self.repeats * len(self.folds.target_scales)

    @functools.cached_property
    def model(self):
        if self.finished():
            return self._saved_model()
        std = np.repeat([scale[1] for scale in self.folds.target_scales],
                        self.repeats)
        config = ml_collections.ConfigDict(
            {**self.config.to_dict(), "method": self._method})
        return self._signed(load_model(
            config, self.data["train"].x.shape[1:], self._steps(), std, self.copies,
            metrics=[]))

    def fit(self, callbacks=(), verbose="auto"):
        epochs = self.config.epochs
        passes = max(k for k in range(1, _PASSES + 1) if epochs % k == 0)
        # An epoch of Keras is many passes, because a data set may be tiny.
        self.model.fit(
            *self.data["train"], batch_size=self.config.batch_size * self.copies,
            epochs=epochs // passes, steps_per_epoch=passes * self._steps(),
            verbose=verbose, checkpoint_dir=self.workdir / "checkpoints",
            callbacks=[HistoryFile(self.workdir / "history.csv"), *callbacks])

    def evaluate(self):
        """Scores all folds, writes `metrics.json`, and returns the scores."""
        metrics = self.scores("test")
        write_json(self.workdir / "metrics.json", metrics)
        return metrics

    def scores(self, split):
        """Scores of all folds on a split, as `fold_scores` returns them."""
        return fold_scores(self.model, self.data[split], self.folds.target_scales,
                           self.repeats)

    def finish(self):
        """Does nothing, because no rows are held out for a calibration."""

    def findings(self):
        return {}

    def check_finished(self):
        raise ValueError(_ONE_SPLIT.format(self.workdir))

    def _steps(self):
        return num_batches(len(self.data["train"].x) // self.copies,
                           self.config.batch_size)


class SelectedRun(Run):
    """Chooses dropout rate and precision from a grid, then trains all folds.

    The folder has the runs of the grid, the chosen values (`chosen.json`), a run for
    each chosen rate, and the scores of all folds (`metrics.json`).

    Args:
        config: Config of the run, with a `grid`.
        workdir: Folder of the run, new, empty, or of the same config.
        strategy: `tf.distribute.Strategy` of one device, or `None`.
    """

    def __init__(self, config, workdir, strategy=None):
        super().__init__(config, workdir, strategy)

    def _complete(self, **kwargs):
        self.write_config()
        chosen = self._choose(**kwargs)
        groups = {}
        for fold, (rate, precision) in enumerate(chosen):
            groups.setdefault(rate, []).append((fold, precision))
        parts = [self._run(f"rate_{rate}", rate, [p for _, p in group],
                           [f for f, _ in group]).complete(**kwargs)
                 for rate, group in groups.items()]
        metrics = merge(parts, [[f for f, _ in group] for group in groups.values()])
        write_json(self.workdir / "metrics.json", metrics)
        return metrics

    def finished(self):
        return (self.workdir / "metrics.json").exists()

    def findings(self):
        return {}

    def check_finished(self):
        raise ValueError(_ONE_SPLIT.format(self.workdir))

    def _choose(self, **kwargs):
        """Rate and precision of each fold, by its held-out rows or those of fold 0."""
        path = self.workdir / "chosen.json"
        if path.exists():
            return read_json(path, list)
        every = list(range(num_folds(self.config.data.name,
                                     self.config.data.get("data_dir"))))
        folds = every if self.config.select == "each_fold" else every[:1]
        precisions = self._precisions()
        found = []  # For each rate, the nll by fold and precision.
        for rate in self.config.grid.dropout:
            run = self._run(f"grid/rate_{rate}", rate, precisions * len(folds),
                            [fold for fold in folds for _ in precisions],
                            validation=_HELD_OUT)
            run.complete(**kwargs)
            found.append(np.reshape(run.scores("validation")["nll_folds"],
                                    [len(folds), len(precisions)]))
        best = np.stack(found, axis=1).reshape(len(folds), -1).argmin(axis=1)
        points = [(rate, precision) for rate in self.config.grid.dropout
                  for precision in precisions]
        chosen = [points[index] for index in best] * (len(every) // len(folds))
        write_json(path, chosen)
        return chosen

    def _precisions(self):
        grid = self.config.grid
        if grid.precision is not None:
            return list(grid.precision)
        options = {k: v for k, v in data_options(self.config).items()
                   if k not in ("fold", "folds")}
        _, std = data.describe(**options, fold=0).target_scale
        return [float((share * std)**-2) for share in grid.noise_share]

    def _run(self, name, rate, precisions, folds, **changes):
        config = self.config.to_dict()
        config["network"]["dropout"] = rate
        config["precision"] = precisions
        config["data"].update(folds=folds, **changes)
        del config["grid"]
        return FoldsRun(ml_collections.ConfigDict(config), self.workdir / name)


def filled(config):
    """Config in which keys without a value have the value of the data set.

    Args:
        config: `ConfigDict` of a run.

    Example:

        config = bdlzoo.runs.filled(bdlzoo.runs.read_config("digits/mc_dropout.py"))
    """
    if "world" in config:
        return config
    filled = config.to_dict()
    by_set, name = filled.pop("by_set", {}), filled["data"]["name"]
    for values in (filled.pop("chosen", {}).get(name), by_set.get(name),
                   by_set.get("other")):
        _fill(filled, values or {})
    return ml_collections.ConfigDict(filled)


def _fill(values, defaults):
    for key, value in defaults.items():
        if isinstance(value, dict):
            _fill(values[key], value)
        elif values[key] is None:
            values[key] = value


def _members(method):
    """Method of a single copy, and the number of copies of a fold.

    The members of an ensemble become copies of a deterministic network.
    """
    if registry.find(method["type"]) is not DeepEnsemble:
        return method, 1
    other = sorted(set(method) - {"type", "num_members", "prior_scale"})
    if other:
        raise ValueError("Expected only `num_members` and `prior_scale` as options of "
                         "an ensemble on all folds: for other options, train one "
                         f"fold with --config.data.fold=0. Received: {other}")
    return {"type": "Deterministic", "prior_scale": method.get("prior_scale")}, (
        method["num_members"])
