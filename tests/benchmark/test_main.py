"""The program: which sections it times, and which files it writes."""

import dataclasses
import json

from tests.benchmark import fakes
from tools.benchmark import __main__ as program
from tools.benchmark import sections
from tools.benchmark.section import Growth


def test_sections_that_were_timed_are_not_missing(tmp_path):
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks/flipout.json").write_text("{}")
    missing = program.chosen("missing", tmp_path)
    assert set(sections.NAMES) - set(missing) == {"flipout"}
    assert program.chosen("none", tmp_path) == []
    assert program.chosen("draws", tmp_path) == ["draws"]
    assert program.chosen("all", tmp_path) == list(sections.NAMES)


def test_pages_and_figures_are_made_from_what_is_there(tmp_path):
    growing = dataclasses.replace(fakes.section(a=("x",)), growth=Growth(
        "rows", {"small": 1, "large": 10}, ("a",)))
    known = {"bars": fakes.section(a=("x",), b=("y",)), "curves": growing,
             "never": growing}
    (tmp_path / "benchmarks").mkdir()
    times = fakes.lines(a={"x": [1.0, 2.0, 4.0]})
    for name, lines in (("bars", [*times, fakes.absent("b", "y")]),
                        ("curves", times)):
        (tmp_path / f"benchmarks/{name}.json").write_text(
            json.dumps(fakes.results(known[name], lines)))
    program.write(known, tmp_path)
    summary = (tmp_path / "benchmarks.md").read_text()
    for name in ("bars", "curves"):
        page = (tmp_path / f"benchmarks/{name}.md").read_text()
        picture = tmp_path / f"figures/benchmarks_{name}.png"
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert f"(../figures/{picture.name})" in page
        assert f"(benchmarks/{name}.md)" in summary
    assert "never" not in summary
    assert not (tmp_path / "benchmarks/never.md").exists()
