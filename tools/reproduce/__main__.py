r"""Runs tables over seeds and writes the pages of results.

    python -m tools.reproduce --table=mnist
    python -m tools.reproduce --table=all
    python -m tools.reproduce --table=none
    python -m tools.reproduce --table=mnist --compare
    python -m tools.reproduce --compare --seeds=5 \
        --configs=digits/deterministic.py,digits/mc_dropout.py

The figures of a table are kept in `docs/results/TABLE.json`. The pages,
`docs/results.md` and `docs/results/TABLE.md`, are written from all of them each time:
no figure is typed by hand. `--table=none` writes the pages and runs nothing.

With `--compare`, means, 95 % intervals and paired tests over seeds against the
first line go to `TABLE_compared.md`, `.csv` and `.tex` beside the figures of a
table, or to `compared.*` below `--workdir` for configs.

With `--jobs=2` two runs go on at a time, each on its share of the cores: small
networks do not fill more. Those that took longest the last time come first. Every run
has a folder below `--workdir` and resumes after a kill. With `--keep`, runs whose
figures stand in `docs/results/TABLE.json` are not repeated, and the file is written
after each run: a long table can be completed later, and from another checkout.
"""

import json
import multiprocessing
import pathlib
import signal
import sys

from absl import flags

from bdlzoo.core import whole_file
from bdlzoo.programs import console
from tools.reproduce import comparison, registry, runner, summary

ROOT = pathlib.Path(__file__).parents[2]
TABLES = registry.tables()
_TABLE = flags.DEFINE_list(
    "table", [], f"What to run: all, none, or some of {', '.join(TABLES)}. Tables that "
    "share what they train are fastest together.")
_CONFIGS = flags.DEFINE_list(
    "configs", [], "Configs to compare, in place of a table.")
_COMPARE = flags.DEFINE_bool("compare", False, "Test lines against the first.")
_WORKDIR = flags.DEFINE_string("workdir", "runs/reproduce", "Folder of the runs.")
_OUTPUT = flags.DEFINE_string("output", str(ROOT / "docs"), "Folder of the pages.")
_SEEDS = flags.DEFINE_integer("seeds", 0, "Runs of a line; 0 as the table says.")
_KEEP = flags.DEFINE_bool("keep", False, "Run only what docs/results lacks.")
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
        if _CONFIGS.value:
            comparison.compare_configs(_CONFIGS.value, _WORKDIR.value,
                                       _SEEDS.value or 3, _JOBS.value)
            return
        output = pathlib.Path(_OUTPUT.value)
        (output / "results").mkdir(parents=True, exist_ok=True)
        for table in chosen(_TABLE.value):
            _run(table, output)
        summary.write_pages(TABLES, output)
    print(f"Written: {output / 'results.md'} and {output / 'results'}")


def chosen(names):
    """The tables that `--table` names."""
    unknown = sorted(set(names) - {*TABLES, "all", "none"})
    if unknown or "none" in names and len(names) > 1:
        raise ValueError(
            f"Expected tables among {', '.join(TABLES)}, or all, or none alone. "
            f"Received: --table={','.join(names)}")
    if names == ["none"]:
        return []
    return list(TABLES.values()) if "all" in names else [TABLES[n] for n in names]


def _run(table, output):
    path = output / "results" / f"{table.name}.json"
    last = json.loads(path.read_text()) if path.exists() else None

    def write(results):
        whole_file.write_text(path, json.dumps(results, indent=2) + "\n")

    results = runner.run_table(
        table, _WORKDIR.value, _SEEDS.value, _JOBS.value, last, _KEEP.value,
        done=write if _KEEP.value else None)
    write(results)
    if _COMPARE.value:
        comparison.write_comparison(table.metrics, results,
                                    path.with_name(f"{table.name}_compared"))
    summary.write_pages(TABLES, output)  # A later table may take hours.


def _end_with_workers(*_):
    """A command that is ended leaves no run behind that goes on for hours."""
    for worker in multiprocessing.active_children():
        worker.kill()
    sys.exit(1)


if __name__ == "__main__":
    console.run(main)
