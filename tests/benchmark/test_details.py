"""The page of a section: every line as it was measured."""

import dataclasses

from tests.benchmark import fakes
from tools.benchmark import details
from tools.benchmark.section import Growth, Target


def _page(section, lines, busy_cores=0.0):
    return details.page("fake", section, fakes.results(section, lines, busy_cores))


def test_page_has_every_mode_and_compares_the_best():
    section = fakes.section(a=("x", "y"), b=("x", "xla"), d=("x",))
    lines = [*fakes.lines(a={"x": [12.0, 10.0, 99.0], "y": [6.0, 5.0, 4.0]},
                          b={"x": [10.0] * 3, "xla": [15.0] * 3}),
             fakes.absent("d", "x")]
    page = _page(section, lines, 0.1)
    assert "| A | x | 12.00 | 11.00 to 55.50 | 2.40 | 12.00 | 3 | 1.5 |" in page
    assert "| A | y | 5.00 | 4.50 to 5.50 | 1.00 |" in page
    assert "| B | XLA | 15.00 | 15.00 to 15.00 | 3.00 |" in page
    assert "| D | x | absent: no torch |" in page
    for words in ("Abacus 3, 2 cores", "keras 3.15", "--section=fake",
                  "(../benchmarks.md)", "(../figures/benchmarks_fake.png)"):
        assert words in page
    assert "## Targets" not in page


def test_facts_have_columns_of_their_own():
    section = fakes.section(a=("x",), b=("x",))
    lines = fakes.lines(a={"x": [1.0]}, b={"x": [2.0]})
    lines[0]["facts"] = {"share": 0.53125}
    page = _page(section, lines)
    assert "| rounds | warm-up, s | share |" in page
    assert "| 1 | 1.5 | 0.5312 |" in page and "| 1 | 1.5 |  |" in page


def test_memory_is_shown_where_sizes_grow():
    section = dataclasses.replace(fakes.section(a=("x",)), growth=Growth(
        "rows", {"small": 1, "large": 10}, ("a",)))
    lines = fakes.lines(a={"x": [1.0]})
    lines[0]["memory"] = 77.7
    page = _page(section, lines)
    assert "| 1.5 | 78 |" in page and "## Growth with rows" in page


def test_busy_machine_is_named_and_leaves_a_verdict_open():
    section = fakes.section((Target("small", "b", 1.0),), a=("x",), b=("x",))
    page = _page(section, fakes.lines(a={"x": [1.0]}, b={"x": [2.0]}), 0.5)
    assert "| 0.50 | met (unsettled: the machine was busy) |" in page
    assert "kept 0.5 cores busy" in page
