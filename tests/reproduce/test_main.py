"""Tables are made of what ran, and of nothing else."""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import pytest
from absl import flags
from absl.testing import flagsaver

from tools.reproduce import __main__ as reproduce
from tools.reproduce import tables

ROOT = pathlib.Path(__file__).parents[2]
ROW = tables.Row("tiny", "digits/deterministic.py", {"accuracy": 0.5}, {
    "epochs": 1, "data.limit": 64, "network.filters": (4,), "network.hidden": (8,)})
TABLE = tables.Table("Tiny", ("accuracy", "nll"), (ROW,), "For the test.", 2)


def test_table_holds_every_seed_and_resumes(tmp_path, monkeypatch):
    results = reproduce.run_table("tiny", TABLE, tmp_path)
    [row] = results["rows"]
    assert len(row["scores"]) == 2 and row["scores"][0] != row["scores"][1]
    kept = json.loads(
        (tmp_path / "tiny/tiny/1/metrics.json").read_text())
    assert row["scores"][1]["nll"] == kept["nll"]
    monkeypatch.setattr("bdlzoo.runs.zoo.Run.fit", lambda *_, **__: 1 / 0)
    assert reproduce.run_table("tiny", TABLE, tmp_path) == results


@pytest.mark.slow
def test_runs_in_processes_of_their_own_end_as_those_in_turn(tmp_path):
    def scores(folder, jobs):
        [row] = reproduce.run_table("tiny", TABLE, tmp_path / folder, jobs=jobs)["rows"]
        return [[score["accuracy"], score["nll"]] for score in row["scores"]]

    np.testing.assert_allclose(scores("two", 2), scores("one", 1), rtol=1e-5)


def test_experiment_is_run_once_for_a_seed_and_its_arguments(tmp_path, monkeypatch):
    asked = []

    def run(seed, width):
        asked.append((seed, width))
        return {"score": seed + sum(width), "more": 1.0}

    monkeypatch.setattr("tools.reproduce.random_labels.run", run)

    def table(width):
        row = tables.Row("an experiment", "random_labels", changes={"width": (width,)})
        return tables.Table("Experiment", ("score",), (row,), "For the test.", 2)

    first = reproduce.run_table("e", table(3), tmp_path)
    assert [s["score"] for s in first["rows"][0]["scores"]] == [3.0, 4.0]
    assert first["rows"][0]["scores"][0]["more"] == 1.0  # For figures.
    assert reproduce.run_table("e", table(3), tmp_path) == first
    assert asked == [(0, (3,)), (1, (3,))]
    reproduce.run_table("e", table(5), tmp_path)  # Other arguments, another run.
    assert asked[2:] == [(0, (5,)), (1, (5,))]


def test_longest_runs_come_first_and_lines_keep_their_order(tmp_path, monkeypatch):
    asked = []

    def run(seed, place):
        asked.append((seed, place))
        return {"score": 10 * place + seed}

    monkeypatch.setattr("tools.reproduce.random_labels.run", run)
    rows = tuple(tables.Row(str(place), "random_labels", changes={"place": place})
                 for place in range(3))
    last = tmp_path / "e.json"
    last.write_text(json.dumps({"rows": [
        {"label": "0", "scores": [{"seconds": 5.0}]},
        {"label": "1", "scores": [{"seconds": 20.0}, {"seconds": 40.0}]},
        {"label": "2", "scores": [{"seconds": None}]}]}))
    results = reproduce.run_table(
        "e", tables.Table("Experiment", ("score",), rows, "For the test.", 2),
        tmp_path, last_times=reproduce._last_times(last))
    assert asked == [(0, 1), (1, 1), (0, 0), (1, 0), (0, 2), (1, 2)]
    assert [[score["score"] for score in row["scores"]] for row in results["rows"]] == [
        [0.0, 1.0], [10.0, 11.0], [20.0, 21.0]]
    assert reproduce._last_times(tmp_path / "none.json") == {}


def test_page_is_written_from_the_figures(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduce, "TABLES", {"tiny": TABLE})
    scores = [{"accuracy": a, "nll": 0.5, "seconds": 60} for a in (0.9, 0.8)]
    (tmp_path / "tiny.json").write_text(json.dumps({"seeds": 2, "rows": [
        {"label": "tiny", "source": "c.py", "published": {"accuracy": 0.5},
         "scores": scores}]}))
    page = reproduce.page(tmp_path)
    spread = np.std([0.9, 0.8], ddof=1)
    assert f"0.85 ± {spread:.2g} (published 0.5)" in page
    assert reproduce._cell([200.0, np.inf], None) == "not reached by 1 of 2"
    assert reproduce._cell([], 0.5) == "none"  # Such as what one draw cannot have.
    wider = dataclasses.replace(TABLE, metrics=("accuracy", "nll", "ece"))
    monkeypatch.setattr(reproduce, "TABLES", {"tiny": wider})
    assert "tiny" not in reproduce.page(tmp_path)  # It was run before it changed.
    assert "--table=tiny" in page and "| 1.0 |" in page


def test_no_table_has_a_figure_by_the_name_of_the_time_of_its_runs():
    assert [name for name, table in tables.TABLES.items()
            if "seconds" in (table.metrics or ())] == []


def test_comparison_tests_lines_against_the_first_in_three_formats(tmp_path):
    rows = [{"label": name, "scores": [{"nll": v} for v in values]} for name, values
            in (("plain", (0.5, 0.6, 0.7)), ("ours", (0.4, 0.51, 0.6)))]
    reproduce.write_comparison(("nll",), {"seeds": 3, "rows": rows},
                               tmp_path / "tiny_compared")
    page = (tmp_path / "tiny_compared.md").read_text()
    assert "| ours | 0.50 ± 0.25* |" in page and "differs from plain" in page
    assert "ours,nll,0.503" in (tmp_path / "tiny_compared.csv").read_text()
    assert r"\toprule" in (tmp_path / "tiny_compared.tex").read_text()


def test_runs_on_all_folds_are_compared_fold_by_fold(tmp_path):
    rows = [{"label": name, "scores": [{"nll": 9.0, "nll_error": 9.0,
                                        "nll_folds": values}]}
            for name, values in (("plain", [0.5, 0.6, 0.7]),
                                 ("ours", [0.4, 0.51, 0.6]))]
    reproduce.write_comparison(("nll", "nll_error"), {"seeds": 1, "rows": rows},
                               tmp_path / "tiny_compared")
    page = (tmp_path / "tiny_compared.md").read_text()
    assert "| ours | 0.50 ± 0.25* |" in page and "over 3 folds" in page


def test_configs_are_compared_by_all_scores_that_they_share(tmp_path, monkeypatch):
    scores = {"digits/deterministic.py": {"nll": 0.5, "ece": 0.1, "intervals": {}},
              "digits/mc_dropout.py": {"nll": 0.4, "rate": 0.2, "intervals": {}}}
    monkeypatch.setattr(reproduce, "_run_config", lambda row, seed, folder, table: (
        {k: v + seed if k == "nll" else v for k, v in scores[row.source].items()},
        False))
    reproduce.compare_configs(list(scores), tmp_path, 2)
    lines = (tmp_path / "compared.md").read_text().splitlines()
    assert lines[0] == "| | nll |" and "digits/mc_dropout.py" in lines[3]


def test_table_and_configs_exclude_each_other():
    flags.FLAGS.mark_as_parsed()
    for wrong in (dict(table=["mnist"], configs=["a.py"]), dict(table=["minst"])):
        with flagsaver.flagsaver(**wrong), pytest.raises(SystemExit):
            reproduce.main([])


@pytest.mark.slow
def test_command_that_is_ended_takes_its_runs_along(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "tools.reproduce", "--jobs=2", "--seeds=2",
         "--configs=digits/deterministic.py", f"--workdir={tmp_path}"], cwd=ROOT,
        start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 200
    while not list(tmp_path.rglob("checkpoints")):  # Until a run has begun.
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    process.terminate()
    process.wait(60)
    while True:  # Until the group, of its workers too, is gone.
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            break
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert not list(tmp_path.rglob("model.keras"))
