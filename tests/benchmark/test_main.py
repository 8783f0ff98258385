"""Step times: taken in turn, written as measured, and never guessed."""

import collections
import dataclasses
import json
import os
import pathlib
import sys
import time
import types

import pytest

from tools.benchmark import (
    __main__ as benchmark,
)
from tools.benchmark import (
    contenders,
    sections,
)
from tools.benchmark import (
    page as benchmark_page,
)
from tools.benchmark.section import Growth

ROOT = pathlib.Path(__file__).parents[2]
WORKERS = "tools/benchmark/workers"
# Speaks as a worker does, and writes down when it was asked.
FAKE = """
import sys, time
from tools.benchmark.workers import protocol
name, log = sys.argv[1:]
def prepare(*words):
    *subject, workload, mode, steps = words
    def run():
        print("a library prints")
        with open(log, "a") as file:
            print(name, *words, file=file)
        if name == "dies":
            sys.exit("MemoryError: no room")
        if mode == "fails":
            raise ValueError("not in this mode")
        time.sleep(0.1 if mode == "slow" else 0.01)
    if name == "tells":
        run.facts = lambda: {"share": 0.25}
    return run
if name == "late":
    raise ImportError("no such library")
protocol.serve(prepare, "numpy")
"""


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Makes fake workers; returns the file where they write."""
    log = tmp_path / "asked"
    monkeypatch.setattr(contenders, "command", lambda worker: [
        sys.executable, "-c", FAKE, worker, str(log)])
    return log


def _section(targets=(), **modes):
    return sections.Section(
        "Fake", "For the test.",
        {name: sections.Contender(name.upper(), name, found)
         for name, found in modes.items()},
        {"small": sections.Workload("Small"),
         "large": sections.Workload("Large", share=0.5)}, targets)


def test_contenders_take_turns_after_all_are_warm(asked):
    results = benchmark.run_section(_section(a=("x", "y"), b=("x",)), 2, 400)
    first = [["a", "x"], ["b", "x"], ["a", "y"]]  # One mode of each before others.
    turns = [["a", "x"], ["a", "y"], ["b", "x"]]
    expected = [f"{name} {workload} {mode} {steps}"
                for workload, steps in (("small", 400), ("large", 200))
                for name, mode in first + turns * 2]
    assert asked.read_text().splitlines() == expected
    for line in results["workloads"]["large"]["lines"]:
        assert len(line["ms"]) == len(line["cpu_ms"]) == 2
        assert all(0.05 <= ms < 5 for ms in line["ms"])  # 10 ms, 200 steps.
    assert results["versions"]["a"].keys() == {"numpy"}


def test_round_is_timed_when_its_contender_is_awake(asked):
    section = _section(a=("x", "slow"))
    results = benchmark.run_section(section, 1, 1, awake=0.05)
    counts = collections.Counter(asked.read_text().splitlines())
    # Once warm; runs of 10 ms for 50 ms, and one more; 100 ms are 50 ms, twice.
    assert 3 <= counts["a small x 1"] <= 7 and counts["a small slow 1"] == 3
    for line in results["workloads"]["small"]["lines"]:
        assert len(line["ms"]) == 1 and 10 <= line["ms"][0] < 200
    page = benchmark_page.page({"fake": section}, {"fake": results})
    assert "0.05 s of the same steps before each round" in page
    benchmark.run_section(section, 1, 1, awake=0.005)
    again = collections.Counter(asked.read_text().splitlines())
    # 100 ms are more than ten times 5 ms: once warm, once timed.
    assert again["a small slow 1"] == counts["a small slow 1"] + 2


def test_round_is_timed_again_where_calm_ends(asked, monkeypatch):
    after = iter([False, True, False, False, False, True, True])

    class Weather:
        def __init__(self, patience):
            assert patience == 9.0

        def wait(self, latest):
            return True

        def here(self):
            return next(after)

    monkeypatch.setattr(benchmark.calm, "Calm", Weather)
    section = dataclasses.replace(_section(a=("x", "y")), workloads={
        "small": sections.Workload("Small")})
    results = benchmark.run_section(section, 2, 1, patience=9.0)
    # Twice; three times and then as it is; once; once; and both were warm before.
    assert [line.split()[2] for line in asked.read_text().splitlines()] == [
        "x", "y", *"xxyyyxy"]
    assert results["workloads"]["small"]["restless"] == 1
    page = benchmark_page.page({"fake": section}, {"fake": results})
    assert "1 of 4 times were taken although the machine was slower" in page
    assert "at most 1.15 of their best time" in page


def test_no_round_is_timed_again_when_time_is_over(asked, monkeypatch):
    weather = types.SimpleNamespace(wait=lambda latest: False, here=lambda: False)
    monkeypatch.setattr(benchmark.calm, "Calm", lambda patience: weather)
    results = benchmark.run_section(_section(a=("slow",)), 5, 1, 0.05, patience=9.0)
    for workload in results["workloads"].values():
        assert workload["restless"] == len(workload["lines"][0]["ms"]) == 1
    assert len(asked.read_text().splitlines()) == 4  # Once warm, once timed, twice.


def test_slow_mode_is_given_up_but_the_best_one_never(asked):
    results = benchmark.run_section(_section(a=("slow", "x"), b=("slow",)), 5, 1)
    counts = [len(line["ms"]) for line in results["workloads"]["small"]["lines"]]
    assert counts == [2, 5, 5]


def test_worker_that_fails_is_absent_with_its_last_words(asked):
    section = _section(a=("fails", "x"), dies=("x", "y"), late=("x",))
    results = benchmark.run_section(section, 1, 1)
    absent = [line.get("absent") for line in results["workloads"]["small"]["lines"]]
    assert absent == ["ValueError: not in this mode", None,
                      *["MemoryError: no room"] * 2,
                      "ImportError: no such library"]


def test_what_a_worker_has_found_is_kept(asked, capsys):
    results = benchmark.run_section(_section(tells=("x",), b=("x",)), 2, 1)
    found = [line["facts"] for line in results["workloads"]["small"]["lines"]]
    assert found == [{"share": 0.25}, {}]
    assert "small: tells x is warm" in capsys.readouterr().out.split("; share 0.25")[0]


def test_silent_worker_is_ended():
    begin = time.monotonic()
    with pytest.raises(contenders.Absent, match="no answer in 0.2 s"):
        contenders.Contender(["sleep", "60"], patience=0.2)
    assert time.monotonic() - begin < 10


def test_workers_end_with_the_section_even_after_an_error(asked):
    with pytest.raises(KeyboardInterrupt):
        with contenders.started({"a": "a"}) as running:
            process = running["a"]._process
            assert process.poll() is None
            raise KeyboardInterrupt
    assert process.poll() is not None


def test_environment_is_made_once_line_by_line(tmp_path, monkeypatch):
    monkeypatch.setattr(contenders, "ROOT", tmp_path)
    monkeypatch.setattr(contenders, "ENVIRONMENTS", tmp_path)
    (tmp_path / WORKERS).mkdir(parents=True)
    (tmp_path / WORKERS / "p.txt").write_text("one two\n--no-deps three\n")
    (tmp_path / "p").mkdir()
    calls = []
    monkeypatch.setattr(contenders, "_check", lambda *c: calls.append(c))
    for _ in range(2):
        [python, *rest] = contenders.command("p")
        assert python == str(tmp_path / "p/bin/python")
        assert rest == ["-m", "tools.benchmark.workers.p"]
    assert [c[-2:] for c in calls[1:]] == [("one", "two"), ("--no-deps", "three")]
    assert contenders.command("q")[0] == sys.executable


def test_environment_may_find_our_packages(tmp_path, monkeypatch):
    monkeypatch.setattr(contenders, "ROOT", tmp_path)
    monkeypatch.setattr(contenders, "ENVIRONMENTS", tmp_path)
    (tmp_path / WORKERS).mkdir(parents=True)
    (tmp_path / WORKERS / "p.txt").write_text("# beside our packages\none\n")
    calls = []
    monkeypatch.setattr(contenders, "_check", lambda *c: calls.append(c))
    contenders.command("p")
    assert [c[-1] for c in calls[1:]] == ["one"]
    [link] = tmp_path.glob("p/lib/python*/site-packages/*.pth")
    assert pathlib.Path(link.read_text().strip(), "numpy").exists()


def test_environment_that_cannot_be_made_says_why():
    with pytest.raises(contenders.Absent, match="^ZeroDivisionError"):
        contenders._check(sys.executable, "-c", "1 / 0")


def _lines(**ms):
    return [{"contender": name, "mode": mode, "ms": times, "cpu_ms": times,
             "warm_up": 1.5} for name, found in ms.items()
            for mode, times in found.items()]


def _page(section, load, lines):
    workload = {"steps": 20, "load": load, "lines": lines}
    return benchmark_page.page({"fake": section, "never": section}, {"fake": {
        "machine": {"cpu": "Abacus 3", "cores": 2, "system": "Linux",
                    "python": "3.11"},
        "versions": {"a": {"keras": "3.15"}, "b": {}}, "repeats": 3,
        "workloads": {name: workload for name in section.workloads}}})


def test_page_compares_the_best_modes():
    section = _section((
        sections.Target("small", "b", 0.5), sections.Target("small", "b", 0.49),
        sections.Target("small", "c", 3.4, goal=2.6),
        sections.Target("small", "d", 1.0)),
        a=("x", "y"), b=("x", "y"), c=("x",), d=("x",))
    lines = [*_lines(a={"x": [12.0, 10.0, 99.0], "y": [6.0, 5.0, 4.0]},
                     b={"x": [10.0] * 3, "y": [15.0] * 3}, c={"x": [1.6] * 3}),
             {"contender": "d", "mode": "x", "ms": [], "absent": "no torch"}]
    page = _page(section, 0.1, lines)
    assert "| A | x | 12.00 | 11.00 to 55.50 | 2.40 | 12.00 | 3 | 1.5 |" in page
    assert "| A | y | 5.00 | 4.50 to 5.50 | 1.00 |" in page
    assert "| B | y | 15.00 | 15.00 to 15.00 | 3.00 |" in page
    assert "| D | x | absent: no torch |" in page
    assert "| A | B | small | 0.5 | 0.50 | met |" in page
    assert "| A | B | small | 0.49 | 0.50 | missed |" in page
    assert "| A | C | small | 3.4 (goal 2.6) | 3.12 | met, goal missed |" in page
    assert "| A | D | small | 1 |  | not measured |" in page
    for words in ("Abacus 3, 2 cores", "keras 3.15", "--section=fake"):
        assert words in page
    assert "busy)" not in page


def test_page_says_whether_findings_agree():
    section = dataclasses.replace(
        _section(a=("x",), b=("x",), c=("x",)), agreements=tuple(
            sections.Agreement("small", *words) for words in (
                ("b", "share", 0.01), ("b", "share", 0.009), ("c", "share", 0.01))))
    lines = _lines(a={"x": [1.0]}, b={"x": [2.0]}, c={"x": [2.0]})
    for line, share in zip(lines, (0.53, 0.54), strict=False):
        line["facts"] = {"share": share}
    page = _page(section, 0.0, lines)
    assert "| A; share 0.53 | x | 1.00 |" in page
    assert "| A | B | small: share, difference | 0.01 | 0.0100 | met |" in page
    assert "| A | B | small: share, difference | 0.009 | 0.0100 | missed |" in page
    assert "| A | C | small: share, difference | 0.01 |  | not measured |" in page


def test_page_compares_who_pays_less_for_the_same():
    target = sections.Target("small", "b", 1.0, rivals=("c", "d"))
    section = _section((target, dataclasses.replace(target, ours="c", rivals=None)),
                       a=("x",), b=("x",), c=("x",), d=("x",))
    lines = _lines(a={"x": [3.0]}, b={"x": [2.0]}, c={"x": [8.0]}, d={"x": [4.0]})
    page = _page(section, 0.0, lines)  # 1.5 times, where the others take 2.
    assert "| A | B, and that over C over D | small | 1 | 0.75 | met |" in page
    assert "| C | B | small | 1 | 4.00 | missed |" in page


def test_busy_machine_settles_nothing():
    section = _section((sections.Target("small", "b", 1.0),), a=("x",), b=("x",))
    lines = _lines(a={"x": [1.0]}, b={"x": [2.0]})
    page = _page(section, 0.5, lines)
    assert "| 0.50 | met (unsettled: the machine was busy) |" in page
    assert "kept 0.5 cores busy" in page


def test_subjects_share_a_process_where_the_section_says_so(asked):
    section = dataclasses.replace(_section(a=("x",), b=("x",)), contenders={
        name: sections.Contender(name, "many", ("x",), f"s{name}") for name in "ab"})
    for together, processes in ((False, ["a", "b"]), (True, ["many"])):
        section = dataclasses.replace(section, together=together)
        places = {benchmark._place(name, section.contenders[name], section)
                  for name in "ab"}
        assert sorted(places) == processes
    benchmark.run_section(section, 1, 1)
    assert asked.read_text().split("\n")[:2] == ["many sa small x 1",
                                                 "many sb small x 1"]


def test_time_that_is_up_ends_warm_ups_and_rounds(asked):
    results = benchmark.run_section(_section(a=("x", "y"), b=("x",)), 3, 1, seconds=0)
    lines = results["workloads"]["large"]["lines"]
    assert [line["absent"] for line in lines] == [
        "its turn did not come within 0 minutes"] * 3
    results = benchmark.run_section(_section(a=("x", "slow")), 50, 1, seconds=0.3)
    line = results["workloads"]["small"]["lines"][0]
    assert 1 <= len(line["ms"]) < 50


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="Linux tells it")
def test_memory_is_the_most_that_a_process_has_had(asked):
    results = benchmark.run_section(_section(a=("x",)), 1, 1)
    [line] = results["workloads"]["small"]["lines"]
    assert 0 <= line["memory"] < 100


def test_sections_that_were_timed_are_not_missing(tmp_path):
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks/flipout.json").write_text("{}")
    missing = benchmark.chosen("missing", tmp_path)
    assert set(sections.SECTIONS) - set(missing) == {"flipout"}
    assert benchmark.chosen("none", tmp_path) == []
    assert benchmark.chosen("draws", tmp_path) == ["draws"]
    assert benchmark.chosen("all", tmp_path) == list(sections.SECTIONS)


def test_page_and_figures_are_made_from_what_is_there(tmp_path, monkeypatch):
    growing = dataclasses.replace(
        _section(a=("x",)), growth=Growth("rows", {"small": 1, "large": 10}, ("a",)))
    monkeypatch.setattr(benchmark, "SECTIONS", {
        "bars": _section(a=("x",), b=("y",)), "curves": growing, "never": growing})
    (tmp_path / "benchmarks").mkdir()
    lines = _lines(a={"x": [1.0, 2.0, 4.0]})
    absent = {"contender": "b", "mode": "y", "ms": [], "absent": "no torch"}
    workload = {"steps": 2, "load": 0.0, "lines": [*lines, absent]}
    for name in ("bars", "curves"):
        (tmp_path / f"benchmarks/{name}.json").write_text(json.dumps({
            "machine": {"cpu": "", "cores": 2, "system": "", "python": ""},
            "versions": {}, "workloads": {"small": workload, "large": workload}}
            if name == "bars" else {
            "machine": {"cpu": "", "cores": 2, "system": "", "python": ""},
            "versions": {}, "workloads": {key: {**workload, "lines": lines}
                                          for key in ("small", "large")}}))
    benchmark.write(tmp_path)
    page = (tmp_path / "benchmarks.md").read_text()
    for name in ("bars", "curves"):
        picture = tmp_path / f"figures/benchmarks_{name}.png"
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert f"(figures/{picture.name})" in page
    assert "benchmarks_never" not in page


def test_registry_names_workers_and_targets_that_exist():
    for section in sections.SECTIONS.values():
        for contender in section.contenders.values():
            assert (ROOT / WORKERS / f"{contender.worker}.py").exists()
        for target in (*section.targets, *section.agreements):
            assert target.workload in section.workloads
            assert target.other in section.contenders
            named = (getattr(target, "ours", None), *(
                getattr(target, "rivals", None) or ()))
            assert {name for name in named if name} <= set(section.contenders)
        if section.growth:
            assert list(section.growth.sizes) == list(section.workloads)
            assert set(section.growth.contenders) <= set(section.contenders)


def test_every_method_of_the_zoo_is_timed_and_exported():
    names = {path.stem for path in (ROOT / "bdlzoo/methods").glob("[!_]*.py")}
    for section in ("steps_mlp", "steps_lenet", "steps_resnet20", "exports"):
        found = sections.SECTIONS[section].contenders
        assert {contender.subject for contender in found.values()} >= names
    assert found["sgld"].label == "`SGLD`"


@pytest.mark.skipif(not os.path.exists("/proc/stat"), reason="Linux counts this")
def test_busy_cores_are_a_number_of_cores():
    assert 0 <= benchmark._busy_cores(0.05) <= os.cpu_count()
