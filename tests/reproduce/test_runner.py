"""Tests of how tables are run."""

import json

import numpy as np
import pytest

from tools.reproduce import runner
from tools.reproduce.table import Row, Table

ROW = Row("tiny", "digits/deterministic.py", {"accuracy": 0.5}, {
    "epochs": 1, "data.limit": 64, "network.filters": (4,), "network.hidden": (8,)})
TABLE = Table("tiny", "Tiny", "Toys", ("accuracy", "nll"), (ROW,), "For the test.", 2)


def _table(rows, num_seeds=2):
    return Table("e", "Experiment", "Toys", ("score",), rows, "For the test.",
                 num_seeds)


def test_table_holds_every_seed_and_resumes(tmp_path, monkeypatch):
    results = runner.run_table(TABLE, tmp_path)
    [row] = results["rows"]
    assert len(row["scores"]) == 2 and row["scores"][0] != row["scores"][1]
    kept = json.loads(
        (tmp_path / "tiny/tiny/1/metrics.json").read_text())
    assert row["scores"][1]["nll"] == kept["nll"]
    monkeypatch.setattr("bdlzoo.runs.Run.fit", lambda *_, **__: 1 / 0)
    assert runner.run_table(TABLE, tmp_path) == results


@pytest.mark.slow
def test_runs_in_processes_of_their_own_end_as_those_in_turn(tmp_path):
    def scores(folder, jobs):
        [row] = runner.run_table(TABLE, tmp_path / folder, jobs=jobs)["rows"]
        return [[score["accuracy"], score["nll"]] for score in row["scores"]]

    np.testing.assert_allclose(scores("two", 2), scores("one", 1), rtol=1e-5)


def test_experiment_is_run_once_for_a_seed_and_its_arguments(tmp_path, monkeypatch):
    asked = []

    def run(seed, width):
        asked.append((seed, width))
        return {"score": seed + sum(width), "more": 1.0}

    monkeypatch.setattr("tools.reproduce.random_labels.run", run)

    def table(width):
        return _table((Row("an experiment", "random_labels",
                           changes={"width": (width,)}),))

    first = runner.run_table(table(3), tmp_path)
    assert [s["score"] for s in first["rows"][0]["scores"]] == [3.0, 4.0]
    assert first["rows"][0]["scores"][0]["more"] == 1.0  # For figures.
    assert runner.run_table(table(3), tmp_path) == first
    assert asked == [(0, (3,)), (1, (3,))]
    runner.run_table(table(5), tmp_path)  # Other arguments, another run.
    assert asked[2:] == [(0, (5,)), (1, (5,))]


def test_longest_runs_come_first_and_lines_keep_their_order(tmp_path, monkeypatch):
    asked = []

    def run(seed, place):
        asked.append((seed, place))
        return {"score": 10 * place + seed}

    monkeypatch.setattr("tools.reproduce.random_labels.run", run)
    rows = tuple(Row(str(place), "random_labels", changes={"place": place})
                 for place in range(3))
    last = {"rows": [
        {"label": "0", "scores": [{"seconds": 5.0}]},
        {"label": "1", "scores": [{"seconds": 20.0}, {"seconds": 40.0}]},
        {"label": "2", "scores": [{"seconds": None}]}]}
    results = runner.run_table(_table(rows), tmp_path, last=last)
    assert asked == [(0, 1), (1, 1), (0, 0), (1, 0), (0, 2), (1, 2)]
    assert [[score["score"] for score in row["scores"]] for row in results["rows"]] == [
        [0.0, 1.0], [10.0, 11.0], [20.0, 21.0]]


def test_table_is_completed_from_what_is_kept(tmp_path, monkeypatch):
    asked, written = [], []

    def run(seed, place):
        asked.append((seed, place))
        return {"score": 10 * place + seed}

    monkeypatch.setattr("tools.reproduce.random_labels.run", run)

    def table(*places):
        return _table(tuple(Row(f"{place} rows", "random_labels",
                                changes={"place": place}) for place in places), 3)

    whole = runner.run_table(table(1, 2), tmp_path / "whole")
    part = json.loads(json.dumps(whole))  # Two lines, of which one lacks a run.
    del part["rows"][1]["scores"][1]
    asked.clear()
    found = runner.run_table(table(1, 2), tmp_path / "more", last=part, keep=True,
                             done=written.append)
    assert asked == [(1, 2)] and written == [found]
    assert [[(s["seed"], s["score"]) for s in row["scores"]] for row in found["rows"]
            ] == [[(0, 10.0), (1, 11.0), (2, 12.0)], [(0, 20.0), (1, 21.0), (2, 22.0)]]
    asked.clear()
    whole["rows"][0]["changes"] = {"place": 3}  # Another run by now.
    runner.run_table(table(1, 2), tmp_path / "other", last=whole, keep=True)
    assert asked == [(0, 1), (1, 1), (2, 1)]
    asked.clear()
    for row in whole["rows"]:  # Written by a tool that ran whole tables alone.
        del row["changes"]
        for score in row["scores"]:
            del score["seed"]
    runner.run_table(table(1, 2), tmp_path / "old", 4, last=whole, keep=True)
    assert asked == [(3, 1), (3, 2)]
