"""Tests of the rule of the verdicts."""

import dataclasses

import numpy as np
import pytest

from tools.reproduce import verdict
from tools.reproduce.table import Row, Table

TABLE = Table("t", "T", "Toys", ("accuracy", "nll"), (
    Row("first", "a.py", {"accuracy": 0.9, "nll": 0.5}),
    Row("second", "a.py", {"nll": 0.2})), "")


def _results(*scores):
    """Results of the two lines, one seed each."""
    return {"seeds": 1, "rows": [
        {"label": label, "published": {"accuracy": 0.1}, "scores": [score]}
        for label, score in zip(("first", "second"), scores)]}


@pytest.mark.parametrize("value, word", (
    (104.9, "yes"), (95.1, "yes"), (105.1, "no"), (94.9, "no")))
def test_one_seed_must_be_within_five_per_cent(value, word):
    assert verdict.verdict_of([value], 100.0) == word
    assert verdict.verdict_of([-value], -100.0) == word


def test_seeds_may_differ_by_two_standard_deviations():
    values = [90.0, 110.0, 130.0]  # Mean 110, standard deviation 20.
    assert [verdict.verdict_of(values, published) for published in (
        69.0, 71.0, 149.0, 151.0)] == ["no", "yes", "yes", "no"]


@pytest.mark.parametrize("better, above, below", (
    ("higher", "better", "no"), ("lower", "no", "better"), ("", "no", "no")))
def test_better_counts_by_the_direction_of_the_metric(better, above, below):
    assert verdict.verdict_of([1.5], 1.0, better) == above
    assert verdict.verdict_of([0.5], 1.0, better) == below
    assert verdict.verdict_of([1.01], 1.0, better) == "yes"


def test_what_was_never_reached_is_not_reproduced():
    assert verdict.verdict_of([100.0, np.inf], 100.0, "lower") == "no"
    assert verdict.verdict_of([], 100.0) == "no"


def test_published_values_are_those_of_the_table():
    values = verdict.compare(TABLE, _results(
        {"accuracy": 0.9, "nll": 0.6}, {"accuracy": 0.9, "nll": 0.1}))
    assert [(each.label, each.metric, each.published, each.verdict)
            for each in values] == [
        ("first", "accuracy", 0.9, "yes"), ("first", "nll", 0.5, "no"),
        ("second", "nll", 0.2, "better")]
    unknown = _results({"accuracy": 0.1})
    unknown["rows"][0]["label"] = "a line that the table has no more"
    [value] = verdict.compare(TABLE, unknown)
    assert value.published == 0.1


@pytest.mark.parametrize("words, found", (
    (("yes", "yes"), "yes, 2 of 2"), (("yes", "better"), "yes, 2 of 2 (1 better)"),
    (("no", "better"), "partly, 1 of 2 (1 better)"), (("no", "no"), "no, 0 of 2")))
def test_table_is_reproduced_by_its_values(words, found):
    values = [verdict.Compared("a line", "nll", 1.0, [1.0], word) for word in words]
    assert verdict.table_verdict(TABLE, values) == found


def test_what_cannot_be_compared_is_not_judged():
    other = dataclasses.replace(TABLE, incomparable="another set")
    values = verdict.compare(other, _results({"accuracy": 0.9, "nll": 0.5}))
    assert {each.verdict for each in values} == {"not comparable"}
    assert verdict.table_verdict(other, values) == "not comparable"
    assert verdict.table_verdict(other, []) == "other scale"
    assert verdict.table_verdict(TABLE, []) == "ours alone"


def test_seeds_that_settings_were_chosen_on_do_not_count():
    results = {"seeds": 3, "rows": [{"label": "first", "published": {}, "scores": [
        {"accuracy": value, "nll": 0.5, "seed": seed}
        for seed, value in enumerate((0.1, 0.9, 0.88))]}]}
    assert verdict.counted(TABLE, results) is results
    chosen = dataclasses.replace(TABLE, chosen_on=(0, 7))
    found = verdict.counted(chosen, results)
    assert found["seeds"] == 2
    [value, _] = verdict.compare(chosen, found)
    assert value.values == [0.9, 0.88] and value.verdict == "yes"


def test_reasons_are_those_of_the_figure_or_of_its_line():
    table = dataclasses.replace(TABLE, reasons={
        "first": "Fewer steps.", ("first", "nll"): "No noise."})
    values = verdict.compare(table, _results(
        {"accuracy": 0.1, "nll": 9.0}, {"accuracy": 0.9, "nll": 9.0}))
    assert [each.reason for each in values] == ["Fewer steps.", "No noise.", ""]
