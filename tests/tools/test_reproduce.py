"""Tables are made of what ran, and of nothing else."""

import json

import numpy as np

from tools import reproduce, tables

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
    monkeypatch.setattr("bdlzoo.zoo.Run.fit", lambda *_, **__: 1 / 0)
    assert reproduce.run_table("tiny", TABLE, tmp_path) == results


def test_experiment_is_run_once_for_a_seed_and_its_arguments(tmp_path, monkeypatch):
    asked = []

    def run(seed, width):
        asked.append((seed, width))
        return {"score": seed + width}

    monkeypatch.setattr("bdlzoo.tasks.novelty.run", run, raising=False)

    def table(width):
        row = tables.Row("an experiment", "novelty", changes={"width": width})
        return tables.Table("Experiment", ("score",), (row,), "For the test.", 2)

    first = reproduce.run_table("e", table(3), tmp_path)
    assert [s["score"] for s in first["rows"][0]["scores"]] == [3.0, 4.0]
    assert reproduce.run_table("e", table(3), tmp_path) == first
    assert asked == [(0, 3), (1, 3)]
    reproduce.run_table("e", table(5), tmp_path)  # Other arguments, another run.
    assert asked[2:] == [(0, 5), (1, 5)]


def test_page_is_written_from_the_figures(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduce, "TABLES", {"tiny": TABLE})
    scores = [{"accuracy": a, "nll": 0.5, "seconds": 60} for a in (0.9, 0.8)]
    (tmp_path / "tiny.json").write_text(json.dumps({"seeds": 2, "rows": [
        {"label": "tiny", "source": "c.py", "published": {"accuracy": 0.5},
         "scores": scores}]}))
    page = reproduce.page(tmp_path)
    spread = np.std([0.9, 0.8], ddof=1)
    assert f"0.85 ± {spread:.2g} (published 0.5)" in page
    assert "--table=tiny" in page and "| 1.0 |" in page
