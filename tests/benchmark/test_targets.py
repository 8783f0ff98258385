"""Targets and agreements, and their verdicts."""

import dataclasses

from tests.benchmark import fakes
from tools.benchmark import targets
from tools.benchmark.section import Agreement, Target


def _table(section, lines):
    return targets.table(section, fakes.results(section, lines))


def test_best_modes_are_held_to_their_bounds():
    section = fakes.section((
        Target("small", "b", 0.5), Target("small", "b", 0.49),
        Target("small", "c", 3.4, goal=2.6), Target("small", "d", 1.0)),
        a=("x", "y"), b=("x", "y"), c=("x",), d=("x",))
    lines = [*fakes.lines(a={"x": [12.0, 10.0, 99.0], "y": [6.0, 5.0, 4.0]},
                          b={"x": [10.0] * 3, "y": [15.0] * 3}, c={"x": [1.6] * 3}),
             fakes.absent("d", "x")]
    assert _table(section, lines)[-4:] == [
        "| A | B | Small | 0.5 | 0.50 | met |",
        "| A | B | Small | 0.49 | 0.50 | missed |",
        "| A | C | Small | 3.4 (goal 2.6) | 3.12 | met, goal missed |",
        "| A | D | Small | 1 |  | not measured |"]


def test_findings_agree_within_their_bound():
    section = dataclasses.replace(
        fakes.section(a=("x",), b=("x",), c=("x",)), agreements=tuple(
            Agreement("small", *words) for words in (
                ("b", "share", 0.01), ("b", "share", 0.009), ("c", "share", 0.01))))
    lines = fakes.lines(a={"x": [1.0]}, b={"x": [2.0]}, c={"x": [2.0]})
    for line, share in zip(lines, (0.53, 0.54), strict=False):
        line["facts"] = {"share": share}
    assert _table(section, lines)[-3:] == [
        "| A | B | Small: share, difference | 0.01 | 0.0100 | met |",
        "| A | B | Small: share, difference | 0.009 | 0.0100 | missed |",
        "| A | C | Small: share, difference | 0.01 |  | not measured |"]


def test_extra_costs_of_two_libraries_are_compared():
    target = Target("small", "b", 1.0, rivals=("c", "d"))
    section = fakes.section(
        (target, dataclasses.replace(target, ours="c", rivals=None)),
        a=("x",), b=("x",), c=("x",), d=("x",))
    lines = fakes.lines(a={"x": [3.0]}, b={"x": [2.0]}, c={"x": [8.0]}, d={"x": [4.0]})
    assert _table(section, lines)[-2:] == [  # 1.5 times, where the others take 2.
        "| A | B, divided by (C over D) | Small | 1 | 0.75 | met |",
        "| C | B | Small | 1 | 4.00 | missed |"]


def test_section_without_bounds_has_no_table():
    assert _table(fakes.section(a=("x",)), fakes.lines(a={"x": [1.0]})) == []
