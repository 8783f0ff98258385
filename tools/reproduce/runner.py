"""Runs the lines of a table over seeds, one after the other or several at a time.

Every run has a folder of its own, holds its scores there, and resumes after a kill.
"""

import concurrent.futures
import importlib
import itertools
import json
import multiprocessing
import os
import pathlib
import re
import time

import numpy as np

from bdlzoo import runs
from bdlzoo.core.end_with_parent import end_with_parent


def run_table(table, workdir, num_seeds=0, jobs=1, last=None, keep=False, done=None):
    """Runs all lines over all seeds; returns their scores.

    Args:
        table: `Table`.
        workdir: Folder of the runs.
        num_seeds: Integer, runs of a line; 0 as the table says.
        jobs: Integer, runs at a time.
        last: Results of the last time. The lines that took longest come first, so that
            no core is idle while one of them ends.
        keep: Bool, whether runs that stand in `last` are not repeated: see
            `kept_scores`.
        done: Function that is called with the results after each run.

    Returns:
        Dictionary of `docs/results/TABLE.json`: the number of seeds, and for each
        line its label, source, changes, published values and the scores of each seed.
    """
    num_seeds = num_seeds or table.num_seeds
    last = last or {}
    scores = [kept_scores(row, last, num_seeds) if keep else {} for row in table.rows]
    asked = [(place, seed) for place, row in enumerate(table.rows)
             for seed in range(num_seeds) if seed not in scores[place]]
    times = last_times(last)
    asked.sort(key=lambda each: -times.get(table.rows[each[0]].label, 0.0))
    start = time.monotonic()
    finished = _map(_run, [(table.rows[place], seed, workdir, table)
                           for place, seed in asked], jobs)
    for count, ((place, seed), score) in enumerate(zip(asked, finished), start=1):
        scores[place][seed] = score
        if done is not None:
            done(_results(table, num_seeds, scores))
        left = (time.monotonic() - start) / count * (len(asked) - count)
        print(f"{table.name}: {count} of {len(asked)} runs, about {left / 60:.0f} min "
              "left", flush=True)
    return _results(table, num_seeds, scores)


def _results(table, num_seeds, scores):
    """Lines that have a run, each with its scores in the order of seeds."""
    return {"seeds": num_seeds, "rows": [
        {"label": row.label, "source": row.source, "changes": row.changes,
         "published": row.published,
         "scores": [{**by_seed[seed], "seed": seed} for seed in sorted(by_seed)]}
        for row, by_seed in zip(table.rows, scores) if by_seed]}


def kept_scores(row, results, num_seeds):
    """Scores by seed of the runs of a line that stand in results of before.

    Args:
        row: `Row`.
        results: Dictionary of `docs/results/TABLE.json`. Lines with another source or
            other changes are other runs. Results that do not tell them, or seeds, are
            of whole tables: their label is the line, their place the seed.
        num_seeds: Integer, the first so many seeds.
    """
    changes = json.loads(json.dumps(row.changes))  # In the form of the file.
    for line in results.get("rows", ()):
        if (line["label"], line["source"], line.get("changes", changes)) == (
                row.label, row.source, changes):
            found = {score.get("seed", place): score
                     for place, score in enumerate(line["scores"])}
            return {seed: found[seed] for seed in range(num_seeds) if seed in found}
    return {}


def last_times(results):
    """Mean seconds of a run by label, of the last time that a table was run."""
    times = {row["label"]: [score["seconds"] for score in row["scores"]
                            if score["seconds"]] for row in results.get("rows", ())}
    return {label: np.mean(each) for label, each in times.items() if each}


def _map(function, arguments, jobs):
    """Results in order, each of a process of its own where there are jobs."""
    if jobs == 1:
        yield from itertools.starmap(function, arguments)
        return
    share = max(1, os.cpu_count() // jobs)
    for kind in ("INTRAOP", "INTEROP"):  # Read when a process imports TensorFlow.
        os.environ[f"TF_NUM_{kind}_THREADS"] = str(share)
    with concurrent.futures.ProcessPoolExecutor(
            jobs, multiprocessing.get_context("spawn"), end_with_parent,
            (os.getpid(),)) as pool:
        yield from pool.map(function, *zip(*arguments))


def _run(row, seed, workdir, table):
    """Scores of one run, from its folder where it was done before."""
    slug = re.sub("[^a-z0-9]+", "_", row.label.lower()).strip("_")
    folder = pathlib.Path(workdir, table.runs or table.name, slug, str(seed))
    clock = folder / "seconds.json"
    begin = time.monotonic()
    run_it = _run_experiment if row.experiment else _run_config
    metrics, fresh = run_it(row, seed, folder, table)
    if fresh:  # A run that was there already keeps the time of its first call.
        clock.write_text(json.dumps(time.monotonic() - begin))
    seconds = json.loads(clock.read_text()) if clock.exists() else None
    # An experiment has few scores, and figures are drawn from all of them.
    wanted = metrics if row.experiment or table.metrics is None else table.metrics
    folds = {m: values for m, values in metrics.items() if m.endswith("_folds")}
    return {**{m: metrics[m] for m in wanted}, **folds, "seconds": seconds}


def _run_config(row, seed, folder, table):
    config = runs.read_config(row.source)
    config.seed = seed
    for key, value in row.changes.items():
        config.update_from_flattened_dict({key: value})
    run = runs.open_run(config, folder)
    fresh = not run.finished()
    metrics = run.complete(verbose=0)
    if not metrics.keys() >= set(table.metrics or ()):
        metrics = run.report()
    return metrics, fresh


def _run_experiment(row, seed, folder, table):
    del table
    path = folder / "metrics.json"
    # In the form of the file: a tuple comes back as a list.
    asked = json.loads(json.dumps(
        {"experiment": row.source, "seed": seed, **row.changes}))
    if path.exists():
        done = json.loads(path.read_text())
        if done["asked"] == asked:
            return done["scores"], False
    experiment = importlib.import_module(f"tools.reproduce.{row.source}")
    scores = {key: float(value) for key, value in experiment.run(
        seed=seed, **row.changes).items()}
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"asked": asked, "scores": scores}, indent=2) + "\n")
    return scores, True
