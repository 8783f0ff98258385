"""The summary page: a line for each comparison, and what is missed."""

import dataclasses

from tests.benchmark import fakes
from tools.benchmark import summary
from tools.benchmark.section import Contender, Growth, Section, Target, Workload

MODES = ("x",)
COMPARED = Section(
    "Compared", "", {
        "a": Contender("A", "a", MODES), "b": Contender("B", "b", MODES),
        "p": Contender("P", "p", MODES, role="plain"),
        "l": Contender("L", "l", MODES, role="library", beside=("a",)),
        "o": Contender("O", "o", MODES, role="other", beside=("b",))},
    {"all": Workload("All"), "some": Workload("Some", only=("a", "p"))},
    (Target("all", "p", 3.0), Target("all", "l", 0.4), Target("all", "o", 1.0,
                                                             ours="b")))


def _page(section, lines):
    return summary.page({"fake": section, "never": section},
                        {"fake": fakes.results(section, lines)})


def test_ours_is_compared_with_each_role():
    page = _page(COMPARED, fakes.lines(
        a={"x": [3.0]}, b={"x": [9.0]}, p={"x": [1.5]}, l={"x": [6.0]},
        o={"x": [10.0]}))
    link = "[Compared](benchmarks/fake.md)"
    assert f"| {link} | All | A | 3.00 | 2.00 | 0.50 (L) |  | 1 met, 1 missed |" in page
    assert f"| {link} | All | B | 9.00 | 6.00 |  | 0.90 (O) | met |" in page
    assert "| Some |" not in page
    assert "2 of 3 targets are met." in page
    assert f"| {link} | A | L | All | 0.4 | 0.50 | missed |" in page
    assert "never" not in page and "Abacus 3, 2 cores" in page
    assert f"- {link}" in page


def test_absent_contender_leaves_its_place_empty():
    page = _page(COMPARED, [*fakes.lines(a={"x": [3.0]}, b={"x": [9.0]},
                                         p={"x": [1.5]}, o={"x": [10.0]}),
                            fakes.absent("l", "x")])
    assert "| All | A | 3.00 | 2.00 |  |  | 1 met, 1 not measured |" in page


def test_methods_have_their_ratios_to_network_and_limit():
    section = dataclasses.replace(
        fakes.section(p=("x",), a=("x",), b=("x",), new=("x",)), together=True,
        limits=True)
    section.contenders["p"] = dataclasses.replace(
        section.contenders["p"], role="plain")
    lines = [*fakes.lines(p={"x": [2.0]}, a={"x": [9.0]}), fakes.absent("b", "x")]
    for line, count in zip(lines, (1.0, 3.0), strict=False):
        line["facts"] = {"GFLOP": count}
    page = _page(section, lines)
    assert "## Every method: training steps" in page
    assert "| Method | Small: ms | over the plain network | over the limit | " in page
    assert "| P | 2.00 | 1.00 | 1.00 |" in page
    assert "| A | 9.00 | 4.50 | 1.50 |" in page  # Three times 2 ms are the limit.
    assert "| B |  |  |  |" in page
    assert "| NEW |" not in page
    exported = _page(dataclasses.replace(section, limits=False), lines)
    assert "## Every method: exported models" in exported
    assert "| A | 9.00 | 4.50 | 9.00 | 4.50 |" in exported


def test_growth_has_a_line_for_each_bounded_contender():
    section = dataclasses.replace(fakes.section(a=("x",), b=("x",)), growth=Growth(
        "rows", {"small": 1, "large": 1000}, ("a",), 1.05))
    page = _page(section, fakes.lines(a={"x": [1.0]}, b={"x": [1.0]}))
    assert "| A | 1 to 1,000 rows | 0.00 |  | 1.05 | not measured |" in page
    assert "| B | 1 to" not in page
