"""Tests of the page of one experiment."""

import dataclasses

import numpy as np

from tools.reproduce import page
from tools.reproduce.table import Row, Table

TABLE = Table("tiny", "Tiny", "Toys", ("accuracy", "nll"), (
    Row("a", "mnist/a.py", {"accuracy": 0.5}), Row("b", "mnist/b.py")),
    "For the test.")


def _results(metrics, labels, source="mnist/a.py"):
    return {"seeds": 2, "rows": [
        {"label": label, "source": source, "published": {}, "scores": [
            {**dict.fromkeys(metrics, value), "seconds": 60.0}
            for value in (0.9, 0.8)]} for label in labels]}


def _widest(text):
    return max(line.count("|") - 1 for line in text.splitlines()
               if line.startswith("|"))


def test_published_values_stand_beside_ours():
    text = page.page(TABLE, _results(TABLE.metrics, "ab"))
    spread = np.std([0.9, 0.8], ddof=1)
    assert f"| a | accuracy | 0.5 | 0.85 ± {spread:.2g} | better |" in text
    assert text.count("| better |") == 1 and "yes, 1 of 1 (1 better)" in text
    assert "--table=tiny" in text and "For the test." in text
    assert "| minutes a run | config |" in text and "| 1.0 |" in text
    assert "[mnist/a.py](../../configs/mnist/a.py)" in text


def test_runs_that_a_table_lacks_are_counted():
    results = _results(TABLE.metrics, "a")
    assert "Runs still to come. b: 2." in page.page(TABLE, results)
    results["rows"][0]["scores"].pop()
    assert "Runs still to come. a: 1; b: 2." in page.page(TABLE, results)
    assert "Not complete" not in page.page(TABLE, _results(TABLE.metrics, "ab"))


def test_figures_of_another_task_have_no_verdict():
    text = page.page(dataclasses.replace(TABLE, incomparable="another task"),
                     _results(TABLE.metrics, "ab"))
    assert "**Not comparable**: another task." in text
    assert "| accuracy | 0.5 | 0.85 ± 0.071 |\n" in text


def test_own_tables_say_so():
    own = dataclasses.replace(TABLE, rows=(Row("a", "e"),), figures=("one_toy.png",))
    text = page.page(own, _results(TABLE.metrics, "a", "e"), ["tiny_compared.md"])
    assert "**Ours alone**" in text and "## Beside" not in text
    assert "[tools/reproduce/e.py](../../tools/reproduce/e.py)" in text
    assert "![one toy](../figures/one_toy.png)" in text
    assert "[tiny_compared.md](tiny_compared.md)" in text


def test_one_line_and_few_lines_with_many_metrics_have_a_metric_a_row():
    one = page.page(TABLE, _results(TABLE.metrics, "a"))
    assert "| NLL | 0.85 ± 0.071 |\n" in one and "| minutes a run | 1.0 |" in one
    metrics = tuple(f"accuracy_{count}" for count in range(12))
    wide = dataclasses.replace(TABLE, metrics=metrics)
    text = page.page(wide, _results(metrics, "ab"))
    assert _widest(text) == 5  # The published values; two lines have three columns.
    assert "| accuracy, 11 labels | 0.85 ± 0.071 | 0.85 ± 0.071 |" in text


def test_many_lines_with_many_metrics_are_split_and_lose_nothing():
    metrics = tuple(f"{score}_{count}" for score in ("accuracy", "bald", "spread")
                    for count in range(4))
    table = dataclasses.replace(TABLE, metrics=metrics)
    text = page.page(table, _results(metrics, "abcdefgh"))
    assert _widest(text) <= page.WIDEST
    assert text.count("| 0.85 ± 0.071") == 8 * 12
    assert text.count("minutes a run") == 1
    assert text.count("| AUROC, 0 steps | AUROC, 1 steps | AUROC, 2 steps |") == 1


def test_cells_say_mean_and_spread():
    assert page.cell([0.25]) == "0.25"
    assert page.cell([200.0, np.inf]) == "not reached by 1 of 2"
    assert page.cell([]) == "none"  # Such as what one draw cannot have.
    assert page.cell([10000.0, 90000.0]) == "50,000 ± 57,000"


def test_large_numbers_are_written_out():
    assert page.number(3420123.0) == "3,420,000"
    assert page.number(54447932, 10) == "54,447,932"
    assert page.number(130.4, 2) == "130"
    assert page.number(1.056e-07) == "1.056e-07"
    assert page.number(-4.343) == "-4.343"


def test_what_is_not_reproduced_has_its_reason():
    low = dataclasses.replace(TABLE, rows=(Row("a", "mnist/a.py", {"accuracy": 0.99}),))
    results = _results(TABLE.metrics, "a")
    results["rows"][0]["scores"] = results["rows"][0]["scores"][:1] * 2  # No spread.
    assert f"## Why not\n\n* a, accuracy: {page.UNEXPLAINED}" in page.page(low, results)
    told = dataclasses.replace(low, reasons={"a": "It had fewer steps."})
    assert "* a, accuracy: It had fewer steps.\n" in page.page(told, results)
    assert "## Why not" not in page.page(TABLE, results)


def test_seeds_are_explained():
    results = _results(TABLE.metrics, "ab")
    few = dataclasses.replace(TABLE, few_seeds="folds take their place.",
                              chosen_on=(0, 2))
    assert ("On two CPU cores. Fewer than three: folds take their place. Settings were "
            "chosen on seed 0 and 2, left out here.") in page.page(few, results)
