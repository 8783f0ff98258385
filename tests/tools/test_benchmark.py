"""Step times: taken in turn, written as measured, and never guessed."""

import dataclasses
import json
import os
import pathlib
import sys
import time

import pytest

from tools import benchmark, contenders, sections

ROOT = pathlib.Path(__file__).parents[2]
# Speaks as a worker of `tools.peers` does, and writes down when it was asked.
FAKE = """
import sys, time
from tools.peers import protocol
name, log = sys.argv[1:]
def prepare(workload, mode, steps):
    def run():
        print("a library prints")
        with open(log, "a") as file:
            print(name, workload, mode, steps, file=file)
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
    turns = [["a", "x"], ["a", "y"], ["b", "x"]]
    expected = [f"{name} {workload} {mode} {steps}"
                for workload, steps in (("small", 400), ("large", 200))
                for name, mode in turns * 3]
    assert asked.read_text().splitlines() == expected
    for line in results["workloads"]["large"]["lines"]:
        assert len(line["ms"]) == len(line["cpu_ms"]) == 2
        assert all(0.05 <= ms < 5 for ms in line["ms"])  # 10 ms, 200 steps.
    assert results["versions"]["a"].keys() == {"numpy"}


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
    (tmp_path / "tools/peers").mkdir(parents=True)
    (tmp_path / "tools/peers/p.txt").write_text("one two\n--no-deps three\n")
    (tmp_path / "p").mkdir()
    calls = []
    monkeypatch.setattr(contenders, "_check", lambda *c: calls.append(c))
    for _ in range(2):
        [python, *rest] = contenders.command("p")
        assert python == str(tmp_path / "p/bin/python")
        assert rest == ["-m", "tools.peers.p"]
    assert [c[-2:] for c in calls[1:]] == [("one", "two"), ("--no-deps", "three")]
    assert contenders.command("q")[0] == sys.executable


def test_environment_may_find_our_packages(tmp_path, monkeypatch):
    monkeypatch.setattr(contenders, "ROOT", tmp_path)
    monkeypatch.setattr(contenders, "ENVIRONMENTS", tmp_path)
    (tmp_path / "tools/peers").mkdir(parents=True)
    (tmp_path / "tools/peers/p.txt").write_text("# beside our packages\none\n")
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


def _page(folder, monkeypatch, section, load, lines):
    monkeypatch.setattr(benchmark, "SECTIONS", {"fake": section})
    workload = {"steps": 20, "load": load, "lines": lines}
    (folder / "fake.json").write_text(json.dumps({
        "machine": {"cpu": "Abacus 3", "cores": 2, "system": "Linux",
                    "python": "3.11"},
        "versions": {"a": {"keras": "3.15"}, "b": {}}, "repeats": 3,
        "workloads": {"small": workload, "large": workload}}))
    return benchmark.page(folder)


def test_page_compares_the_best_modes(tmp_path, monkeypatch):
    section = _section((
        sections.Target("small", "b", 0.5), sections.Target("small", "b", 0.49),
        sections.Target("small", "c", 3.4, goal=2.6),
        sections.Target("small", "d", 1.0)),
        a=("x", "y"), b=("x", "y"), c=("x",), d=("x",))
    lines = [*_lines(a={"x": [12.0, 10.0, 99.0], "y": [6.0, 5.0, 4.0]},
                     b={"x": [10.0] * 3, "y": [15.0] * 3}, c={"x": [1.6] * 3}),
             {"contender": "d", "mode": "x", "ms": [], "absent": "no torch"}]
    page = _page(tmp_path, monkeypatch, section, 0.1, lines)
    assert "| A | x | 12.00 | 11.00 to 55.50 | 2.40 | 12.00 | 3 | 1.5 |" in page
    assert "| A | y | 5.00 | 4.50 to 5.50 | 1.00 |" in page
    assert "| B | y | 15.00 | 15.00 to 15.00 | 3.00 |" in page
    assert "| D | x | absent: no torch |" in page
    assert "| B | small | 0.5 | 0.50 | met |" in page
    assert "| B | small | 0.49 | 0.50 | missed |" in page
    assert "| C | small | 3.4 (goal 2.6) | 3.12 | met, goal missed |" in page
    assert "| D | small | 1 |  | not measured |" in page
    for words in ("Abacus 3, 2 cores", "keras 3.15", "--section=fake"):
        assert words in page
    assert "busy)" not in page


def test_page_says_whether_findings_agree(tmp_path, monkeypatch):
    section = dataclasses.replace(
        _section(a=("x",), b=("x",), c=("x",)), agreements=tuple(
            sections.Agreement("small", *words) for words in (
                ("b", "share", 0.01), ("b", "share", 0.009), ("c", "share", 0.01))))
    lines = _lines(a={"x": [1.0]}, b={"x": [2.0]}, c={"x": [2.0]})
    for line, share in zip(lines, (0.53, 0.54), strict=False):
        line["facts"] = {"share": share}
    page = _page(tmp_path, monkeypatch, section, 0.0, lines)
    assert "| A; share 0.53 | x | 1.00 |" in page
    assert "| B | small: share, difference | 0.01 | 0.0100 | met |" in page
    assert "| B | small: share, difference | 0.009 | 0.0100 | missed |" in page
    assert "| C | small: share, difference | 0.01 |  | not measured |" in page


def test_busy_machine_settles_nothing(tmp_path, monkeypatch):
    section = _section((sections.Target("small", "b", 1.0),), a=("x",), b=("x",))
    lines = _lines(a={"x": [1.0]}, b={"x": [2.0]})
    page = _page(tmp_path, monkeypatch, section, 0.5, lines)
    assert "| 0.50 | met (unsettled: the machine was busy) |" in page
    assert "kept 0.5 cores busy" in page


def test_registry_names_workers_and_targets_that_exist():
    for section in sections.SECTIONS.values():
        for contender in section.contenders.values():
            assert (ROOT / "tools/peers" / f"{contender.worker}.py").exists()
        for target in (*section.targets, *section.agreements):
            assert target.workload in section.workloads
            assert target.other in section.contenders


@pytest.mark.skipif(not os.path.exists("/proc/stat"), reason="Linux counts this")
def test_busy_cores_are_a_number_of_cores():
    assert 0 <= benchmark._busy_cores(0.05) <= os.cpu_count()
