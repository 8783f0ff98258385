"""Tests of the comparison of methods over seeds."""

import csv
import io
import math

import pytest

from bdlzoo.reports import comparison_table as tables

RESULTS = {
    "plain_net & co": {"accuracy": [0.90, 0.91, 0.92], "nll": [0.3, 0.3, 0.3]},
    "ours|1": {"accuracy": [0.95, 0.961, 0.97], "nll": [0.3, 0.3, 0.3]},
    "theirs": {"accuracy": [0.91, 0.90, 0.92], "nll": [0.2, 0.4, 0.3]},
}


def test_others_are_tested_against_the_first():
    table = tables.compare(RESULTS)
    assert math.isnan(table["plain_net & co"]["accuracy"].p_value)
    assert table["ours|1"]["accuracy"].p_value < 0.01
    assert table["theirs"]["accuracy"].p_value == pytest.approx(1.0)
    assert table["ours|1"]["nll"].p_value == 1.0
    assert table["ours|1"]["accuracy"].interval.value == pytest.approx(
        0.96033, abs=1e-5)


def test_p_values_are_corrected_for_their_number():
    alone = tables.compare({k: RESULTS[k] for k in list(RESULTS)[:2]})
    both = tables.compare(RESULTS)
    assert both["ours|1"]["accuracy"].p_value == pytest.approx(
        2 * alone["ours|1"]["accuracy"].p_value)


def test_markdown_marks_what_differs_and_keeps_its_columns():
    lines = tables.to_markdown(tables.compare(RESULTS)).splitlines()
    assert lines[0] == "| | accuracy | nll |"
    assert lines[2] == "| plain_net & co | 0.910 ± 0.025 | 0.3 |"
    assert lines[3] == r"| ours\|1 | 0.960 ± 0.025* | 0.3 |"


def test_csv_gives_the_numbers_back():
    rows = list(csv.DictReader(io.StringIO(tables.to_csv(tables.compare(RESULTS)))))
    assert len(rows) == 6 and rows[2]["method"] == "ours|1"
    assert float(rows[0]["mean"]) == pytest.approx(0.91)
    assert float(rows[2]["seed_1"]) == 0.961
    assert float(rows[0]["low"]) < 0.91 < float(rows[0]["high"])


def test_latex_escapes_names_and_closes_what_it_opens():
    text = tables.to_latex(tables.compare(RESULTS))
    assert r"plain\_net \& co & 0.910 $\pm$ 0.025 & 0.3 \\" in text
    assert text.startswith(r"\begin{tabular}{lrr}") and text.count("&") == 9
    assert text.endswith("\\bottomrule\n\\end{tabular}\n")


def test_one_seed_shows_its_value_only():
    table = tables.compare({"a": {"nll": [0.25]}, "b": {"nll": [0.5]}})
    assert "| b | 0.5 |" in tables.to_markdown(table)


def test_methods_with_other_scores_are_refused():
    with pytest.raises(ValueError, match="the same scores"):
        tables.compare({"a": {"nll": [1.0]}, "b": {"ece": [1.0]}})
    with pytest.raises(ValueError, match="at least one"):
        tables.compare({})
