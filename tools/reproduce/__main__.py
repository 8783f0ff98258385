r"""Runs a table over seeds and writes it into `docs/results.md`.

    python -m tools.reproduce --table=mnist
    python -m tools.reproduce --table=all
    python -m tools.reproduce --table=mnist --compare
    python -m tools.reproduce --compare --seeds=5 \
        --configs=digits/deterministic.py,digits/mc_dropout.py

With `--compare`, means, 95 % intervals and paired tests over seeds against the
first line go to `TABLE_compared.md`, `.csv` and `.tex` beside the figures of a
table, or to `compared.*` below `--workdir` for configs.

With `--jobs=2` two runs go on at a time, each on its share of the cores: small
networks do not fill more. Those that took longest the last time come first. Every run
has a folder below `--workdir` and resumes after a kill. The figures of a table are
kept beside the page, in `docs/results/TABLE.json`, so that the page is written anew
from all of them each time: nothing in it is typed.
"""

import concurrent.futures
import importlib
import itertools
import json
import multiprocessing
import os
import pathlib
import re
import signal
import sys
import time

import numpy as np
from absl import flags

from bdlzoo import runs
from bdlzoo.programs import console
from bdlzoo.reports import comparison_table
from tools.reproduce.tables import TABLES, Row, Table

ROOT = pathlib.Path(__file__).parents[2]
_TABLE = flags.DEFINE_list(
    "table", [], f"What to run: all, or some of {', '.join(TABLES)}. Tables that "
    "share what they train are fastest together.")
_CONFIGS = flags.DEFINE_list(
    "configs", [], "Configs to compare, in place of a table.")
_COMPARE = flags.DEFINE_bool("compare", False, "Test lines against the first.")
_WORKDIR = flags.DEFINE_string("workdir", "runs/reproduce", "Folder of the runs.")
_OUTPUT = flags.DEFINE_string("output", str(ROOT / "docs"), "Folder of the page.")
_SEEDS = flags.DEFINE_integer("seeds", 0, "Runs of a line; 0 as the table says.")
_JOBS = flags.DEFINE_integer("jobs", 1, "Runs at a time.", lower_bound=1)


def main(argv):
    del argv
    signal.signal(signal.SIGTERM, _end_with_workers)
    with console.explained():
        if bool(_CONFIGS.value) == bool(_TABLE.value):
            raise ValueError(
                "Expected either --table or --configs. Received: "
                f"--table={','.join(_TABLE.value)}, "
                f"--configs={','.join(_CONFIGS.value)}")
        unknown = sorted(set(_TABLE.value) - {*TABLES, "all"})
        if unknown:
            raise ValueError(f"Expected tables among {', '.join([*TABLES, 'all'])}. "
                             f"Received: --table={','.join(unknown)}")
        if _CONFIGS.value:
            compare_configs(_CONFIGS.value, _WORKDIR.value, _SEEDS.value or 3,
                            _JOBS.value)
            return
        output = pathlib.Path(_OUTPUT.value)
        (output / "results").mkdir(parents=True, exist_ok=True)
        names = list(TABLES) if "all" in _TABLE.value else _TABLE.value
        for name in names:
            path = output / "results" / f"{name}.json"
            results = run_table(name, TABLES[name], _WORKDIR.value, _SEEDS.value,
                                _JOBS.value, _last_times(path))
            path.write_text(json.dumps(results, indent=2) + "\n")
            (output / "results.md").write_text(page(output / "results"))
            if _COMPARE.value:
                write_comparison(TABLES[name].metrics, results,
                                 output / "results" / f"{name}_compared")
    print(f"Written: {output / 'results.md'}")


def compare_configs(configs, workdir, num_seeds, jobs=1):
    """Runs configs over seeds and compares all scores that they share."""
    rows = tuple(Row(path, str(pathlib.Path(path).resolve())
                     if pathlib.Path(path).exists() else path) for path in configs)
    results = run_table("compared", Table("", None, rows, ""), workdir, num_seeds,
                        jobs)
    shared = [m for m in results["rows"][0]["scores"][0] if m != "seconds" and all(
        isinstance(s.get(m), float) for row in results["rows"] for s in row["scores"])]
    write_comparison(shared, results, pathlib.Path(workdir, "compared"))


def write_comparison(metrics, results, path):
    """Writes a comparison in three formats, and prints it."""
    first = results["rows"][0]["scores"][0]
    # A run on all folds has a pair for each of them.
    folds = {m: f"{m}_folds" for m in metrics if f"{m}_folds" in first}
    pairs = f"{len(first[min(folds.values())])} folds" if folds else (
        f"{results['seeds']} seeds")
    table = comparison_table.compare({
        row["label"]: {m: row["scores"][0][folds[m]] for m in folds} or
        {m: [s[m] for s in row["scores"]] for m in metrics}
        for row in results["rows"]})
    text = comparison_table.to_markdown(table) + (
        f"\nMean and 95 % interval over {pairs}. * differs from "
        f"{results['rows'][0]['label']}: paired t test, p < 0.05 after Holm.\n")
    for suffix, content in ((".md", text), (".csv", comparison_table.to_csv(table)),
                            (".tex", comparison_table.to_latex(table))):
        path.with_suffix(suffix).write_text(content)
    print(f"{text}Written: {path}.md, .csv, .tex")


def run_table(name, table, workdir, num_seeds=0, jobs=1, last_times=None):
    """Runs all lines over all seeds; returns their scores.

    Args:
        name: Name of the table.
        table: `Table`.
        workdir: Folder of the runs.
        num_seeds: Integer, runs of a line; 0 as the table says.
        jobs: Integer, runs at a time.
        last_times: Dictionary, seconds of a run by label. The longest come first, so
            that no core waits for one of them in the end.
    """
    num_seeds = num_seeds or table.num_seeds
    asked = [(name, row, seed, workdir, table)
             for row in table.rows for seed in range(num_seeds)]
    order = sorted(range(len(asked)), reverse=True,
                   key=lambda place: (last_times or {}).get(asked[place][1].label, 0.0))
    scores, start = [None] * len(asked), time.monotonic()
    finished = zip(order, _map(_run, [asked[place] for place in order], jobs))
    for done, (place, score) in enumerate(finished, start=1):
        scores[place] = score
        left = (time.monotonic() - start) / done * (len(asked) - done)
        print(f"{name}: {done} of {len(asked)} runs, about {left / 60:.0f} min left",
              flush=True)
    return {"seeds": num_seeds, "rows": [
        {"label": row.label, "source": row.source, "published": row.published,
         "scores": scores[index * num_seeds:(index + 1) * num_seeds]}
        for index, row in enumerate(table.rows)]}


def _last_times(path):
    """Mean seconds of a run by label, of the last time that a table was run."""
    rows = json.loads(path.read_text())["rows"] if path.exists() else []
    times = {row["label"]: [score["seconds"] for score in row["scores"]
                            if score["seconds"]] for row in rows}
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
            jobs, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(function, *zip(*arguments))


def _end_with_workers(*_):
    """A command that is ended leaves no run behind that goes on for hours."""
    for worker in multiprocessing.active_children():
        worker.kill()
    sys.exit(1)


def _run(name, row, seed, workdir, table):
    """Scores of one run, from its folder where it was done before."""
    slug = re.sub("[^a-z0-9]+", "_", row.label.lower()).strip("_")
    folder = pathlib.Path(workdir, table.runs or name, slug, str(seed))
    clock = folder / "seconds.json"
    begin = time.monotonic()
    run_it = _run_experiment if row.experiment else _run_config
    metrics, fresh = run_it(row, seed, folder, table)
    if fresh:  # A run that was already there took its time before.
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
    # As the file has it: a tuple comes back as a list.
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


def page(folder):
    """The page, from the figures of all tables that were run."""
    lines = ["# Results", "",
             "Written by `python -m tools.reproduce`; mean and standard deviation "
             "over seeds, on two CPU cores."]
    for name, table in TABLES.items():
        path = folder / f"{name}.json"
        if path.exists():
            results = json.loads(path.read_text())
            # Figures of a table that has changed since are not shown as its own;
            # what one line cannot have, such as draws that differ, others have.
            known = {m for row in results["rows"] for s in row["scores"] for m in s}
            if known >= set(table.metrics):
                lines += _section(name, table, results)
            else:
                print(f"Left out, run it again: --table={name}")
    return "\n".join(lines) + "\n"


def _section(name, table, results):
    lines = ["", f"## {table.title}", "", table.note, "",
             f"    python -m tools.reproduce --table={name}", "",
             "| | " + " | ".join(table.metrics) + " | minutes a run |",
             "|---|" + "---|" * (len(table.metrics) + 1)]
    for row in results["rows"]:
        cells = [_cell([s[m] for s in row["scores"] if m in s],
                       row["published"].get(m)) for m in table.metrics]
        seconds = [s["seconds"] for s in row["scores"] if s["seconds"]]
        minutes = f"{np.mean(seconds) / 60:.1f}" if seconds else ""
        lines.append(f"| {row['label']} (`{row['source']}`) | "
                     + " | ".join(cells) + f" | {minutes} |")
    count = results["seeds"]
    return [*lines, "", f"{count} seed{'s' * (count > 1)}."]


def _cell(values, published):
    if not values:
        return "none"
    never = np.sum(~np.isfinite(values))  # Such as an accuracy never reached.
    if never:
        return f"not reached by {never} of {len(values)}"
    ours = f"{np.mean(values):.4g} ± {np.std(values, ddof=1):.2g}" if (
        len(values) > 1) else f"{values[0]:.4g}"
    return ours if published is None else f"{ours} (published {published:g})"


if __name__ == "__main__":
    console.run(main)
