"""Tests of the page of verdicts, and of the pages that are kept in `docs`."""

import dataclasses
import json
import pathlib
import re
import shutil

from tools.reproduce import page, registry, summary
from tools.reproduce.table import Row, Table

DOCS = pathlib.Path(__file__).parents[2] / "docs"
TABLE = Table("tiny", "Tiny", "Toys", ("accuracy", "nll"), (
    Row("a", "random_labels", {"nll": 0.5}), Row("b", "random_labels")), "")
RESULTS = {"seeds": 2, "rows": [
    {"label": label, "source": "random_labels", "published": {}, "scores": [
        {"accuracy": 0.9, "nll": nll, "seconds": None} for nll in (0.5, 0.6)]}
    for label in "ab"]}


def _lines(*done, missing=()):
    return summary.summary(list(done), missing).splitlines()


def test_first_published_value_is_the_headline():
    assert ("| [Tiny](results/tiny.md) | a: NLL | 0.5 | 0.55 ± 0.071 | 2 | "
            "yes, 1 of 1 |") in _lines((TABLE, RESULTS))


def test_table_can_choose_its_headline():
    chosen = dataclasses.replace(TABLE, headline=(("a", "nll"), ("b", "accuracy")))
    assert ("| [Tiny](results/tiny.md) | a: NLL<br>b: accuracy | 0.5<br>- | "
            "0.55 ± 0.071<br>0.9 ± 0 | 2 | yes, 1 of 1 |") in _lines((chosen, RESULTS))


def test_own_tables_come_after_those_with_published_values():
    own = dataclasses.replace(TABLE, name="own", title="Own", rows=())
    lines = _lines((own, RESULTS), (TABLE, RESULTS))
    places = [next(i for i, line in enumerate(lines) if line.startswith(f"| [{title}]"))
              for title in ("Tiny", "Own")]
    assert places == sorted(places) and lines[places[1]].endswith("| ours alone |")
    assert lines[2] == "2 experiments. Reproduced: yes 1, ours alone 1."


def test_every_subject_lists_its_pages():
    other = dataclasses.replace(TABLE, name="other", title="Other", subject="Attacks")
    lines = _lines((TABLE, RESULTS), (other, RESULTS))
    assert lines[lines.index("### Attacks") + 2] == "* [Other](results/other.md)"
    assert lines[lines.index("### Toys") + 2] == "* [Tiny](results/tiny.md)"
    assert "### Active learning" not in lines


def test_tables_without_their_figures_are_named_as_not_run(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "tiny.json").write_text(json.dumps(RESULTS))
    wider = dataclasses.replace(TABLE, metrics=("accuracy", "nll", "ece"))
    assert summary.read_results(TABLE, folder) == RESULTS
    assert summary.read_results(wider, folder) is None  # It has changed since.
    summary.write_pages({"tiny": wider}, tmp_path)
    text = (tmp_path / "results.md").read_text()
    assert "* Tiny: `python -m tools.reproduce --table=tiny`" in text
    assert not (folder / "tiny.md").exists()


def test_missed_values_are_listed_with_their_reasons():
    high = dataclasses.replace(TABLE, rows=(
        Row("a", "random_labels", {"nll": 0.01, "accuracy": 0.9}),
        Row("b", "random_labels", {"nll": 0.02})), reasons={"b": "It was not tuned."})
    lines = _lines((high, RESULTS))
    assert ("2 of 3 published values are not reproduced; 1 of these are explained by "
            "an experiment.") in lines
    assert ("* [Tiny](results/tiny.md), b, NLL: 0.02 was published, 0.55 ± 0.071 is "
            "ours. It was not tuned.") in lines
    assert f"0.01 was published, 0.55 ± 0.071 is ours. {page.UNEXPLAINED}" in (
        "\n".join(lines))
    exact = dataclasses.replace(TABLE, rows=())
    lines = _lines((exact, RESULTS))
    assert lines[lines.index("## Not reproduced, and why") + 2] == "None."


def test_time_of_all_runs_is_summed():
    hours = json.loads(json.dumps(RESULTS).replace("null", "5400.0"))
    assert ("All 8 runs together took 6 hours, some of them beside others on the same "
            "cores.") in _lines((TABLE, RESULTS), (TABLE, hours))


def test_seeds_of_choices_are_left_out_of_kept_pages(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "tiny.json").write_text(json.dumps(RESULTS))
    summary.write_pages({"tiny": dataclasses.replace(TABLE, chosen_on=(0,))}, tmp_path)
    assert "a: NLL | 0.5 | 0.6 | 1 |" in (tmp_path / "results.md").read_text()
    assert "| a | NLL | 0.5 | 0.6 |" in (folder / "tiny.md").read_text()


def test_kept_pages_are_those_that_the_tool_writes(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    for path in (*DOCS.glob("results/*.json"), *DOCS.glob("results/*_compared.*")):
        shutil.copy(path, folder)
    summary.write_pages(registry.tables(), tmp_path)
    written = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.md"))
    kept = sorted(path.relative_to(DOCS) for path in (
        DOCS / "results.md", *DOCS.glob("results/*.md")))
    assert written == kept and len(kept) > 40
    for path in kept:
        assert (DOCS / path).read_text() == (tmp_path / path).read_text(), path


def test_kept_pages_have_no_wide_table_and_no_dead_link():
    for path in (DOCS / "results.md", *DOCS.glob("results/*.md")):
        text = path.read_text()
        rows = [line for line in text.splitlines() if line.startswith("|")]
        assert max(row.count("|") - 1 for row in rows) <= page.WIDEST + 1, path
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
            assert (path.parent / link).exists(), f"{path.name}: {link}"
