"""Tests of the program that runs tables and writes the pages."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from absl import flags
from absl.testing import flagsaver

from tools.reproduce import __main__ as reproduce
from tools.reproduce import runner
from tools.reproduce.table import Row, Table

ROOT = pathlib.Path(__file__).parents[2]
TABLE = Table("tiny", "Tiny", "Toys", ("accuracy",),
              (Row("a line", "random_labels", {"accuracy": 0.8}),), "For the test.", 2)


RESULTS = {"seeds": 2, "rows": [{
    "label": "a line", "source": "random_labels", "published": {},
    "scores": [{"accuracy": a, "seconds": 60.0} for a in (0.7, 0.9)]}]}


@pytest.fixture
def tiny(monkeypatch):
    flags.FLAGS.mark_as_parsed()
    monkeypatch.setattr(reproduce, "TABLES", {"tiny": TABLE})
    asked = []

    def run_table(table, workdir, num_seeds, jobs, last, keep, done):
        asked.append((table.name, workdir, num_seeds, jobs, last, keep))
        if keep:
            done({**RESULTS, "rows": []})
            kept = pathlib.Path(flags.FLAGS.output, "results/tiny.json")
            assert json.loads(kept.read_text())["rows"] == []
        else:
            assert done is None  # The file of a whole table is not lost half-way.
        return RESULTS

    monkeypatch.setattr(runner, "run_table", run_table)
    return asked


def test_table_is_run_kept_and_written(tiny, tmp_path):
    with flagsaver.flagsaver(table=["tiny"], output=str(tmp_path), workdir="w",
                             jobs=2):
        reproduce.main([])
        with flagsaver.flagsaver(keep=True):
            reproduce.main([])
    # The second time, the results of the first are known.
    assert tiny == [("tiny", "w", 0, 2, None, False),
                    ("tiny", "w", 0, 2, RESULTS, True)]
    kept = json.loads((tmp_path / "results/tiny.json").read_text())
    assert kept["rows"][0]["scores"][1]["accuracy"] == 0.9
    assert "| yes, 1 of 1 |" in (tmp_path / "results.md").read_text()
    assert "0.8 ± 0.14" in (tmp_path / "results/tiny.md").read_text()


def test_no_table_writes_the_pages_alone(tiny, tmp_path):
    with flagsaver.flagsaver(table=["none"], output=str(tmp_path)):
        reproduce.main([])
    assert not tiny
    assert "--table=tiny" in (tmp_path / "results.md").read_text()  # Not run yet.


def test_all_tables_are_in_the_order_of_the_registry():
    assert [t.name for t in reproduce.chosen(["all"])] == list(reproduce.TABLES)
    assert [t.name for t in reproduce.chosen(["uci", "mnist"])] == ["uci", "mnist"]
    assert reproduce.chosen(["none"]) == []


@pytest.mark.parametrize("names", (["minst"], ["none", "mnist"]))
def test_unknown_tables_are_named(names):
    with pytest.raises(ValueError, match=f"mnist.*Received: --table={names[0]}"):
        reproduce.chosen(names)


def test_table_and_configs_exclude_each_other():
    flags.FLAGS.mark_as_parsed()
    for wrong in (dict(table=["mnist"], configs=["a.py"]), dict(table=["minst"])):
        with flagsaver.flagsaver(**wrong), pytest.raises(SystemExit):
            reproduce.main([])


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_command_that_is_ended_takes_its_runs_along(number, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "tools.reproduce", "--jobs=2", "--seeds=2",
         "--configs=digits/deterministic.py", f"--workdir={tmp_path}"], cwd=ROOT,
        start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 200
    while not list(tmp_path.rglob("checkpoints")):  # Until a run has begun.
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    process.wait(60)
    deadline = time.monotonic() + 30
    while True:  # Until the group, of its workers too, is gone.
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            break
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert not list(tmp_path.rglob("model.keras"))
