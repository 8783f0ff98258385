"""Timing of sections: in turn, warm, on a quiet machine, within the time."""

import collections
import dataclasses
import os
import types

import pytest

from tests.benchmark import fakes
from tools.benchmark import details, timing
from tools.benchmark.section import Contender, Workload


def test_contenders_take_turns_after_all_are_warm(asked):
    results = timing.run_section(fakes.section(a=("x", "y"), b=("x",)), 2, 400)
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


def test_untimed_steps_come_before_each_round(asked):
    section = fakes.section(a=("x", "slow"))
    results = timing.run_section(section, 1, 1, warm_seconds=0.05)
    counts = collections.Counter(asked.read_text().splitlines())
    # Once as warm-up; runs of 10 ms for 50 ms, and one more; 100 ms are enough once.
    assert 3 <= counts["a small x 1"] <= 7 and counts["a small slow 1"] == 3
    for line in results["workloads"]["small"]["lines"]:
        assert len(line["ms"]) == 1 and 10 <= line["ms"][0] < 200
    page = details.page("fake", section, results)
    assert "0.05 s of the same steps before each round" in page
    timing.run_section(section, 1, 1, warm_seconds=0.005)
    again = collections.Counter(asked.read_text().splitlines())
    # 100 ms are more than ten times 5 ms: once as warm-up, once timed.
    assert again["a small slow 1"] == counts["a small slow 1"] + 2


def test_round_is_timed_again_where_the_machine_gets_busy(asked, monkeypatch):
    after = iter([False, True, False, False, False, True, True])

    class Machine:
        def __init__(self, patience):
            assert patience == 9.0

        def wait(self, latest):
            return True

        def is_quiet(self):
            return next(after)

    monkeypatch.setattr(timing.quiet, "QuietMachine", Machine)
    section = dataclasses.replace(fakes.section(a=("x", "y")), workloads={
        "small": Workload("Small")})
    results = timing.run_section(section, 2, 1, patience=9.0)
    # Twice; three times and then as it is; once; once; and both were warm before.
    assert [line.split()[2] for line in asked.read_text().splitlines()] == [
        "x", "y", *"xxyyyxy"]
    assert results["workloads"]["small"]["slow_rounds"] == 1
    page = details.page("fake", section, results)
    assert "1 of 4 times were taken although the machine was slower" in page
    assert "at most 1.15 of their best time" in page


def test_no_round_is_timed_again_when_time_is_over(asked, monkeypatch):
    machine = types.SimpleNamespace(wait=lambda latest: False, is_quiet=lambda: False)
    monkeypatch.setattr(timing.quiet, "QuietMachine", lambda patience: machine)
    results = timing.run_section(
        fakes.section(a=("slow",)), 5, 1, 0.05, patience=9.0)
    for workload in results["workloads"].values():
        assert workload["slow_rounds"] == len(workload["lines"][0]["ms"]) == 1
    assert len(asked.read_text().splitlines()) == 4  # Once warm, once timed, twice.


def test_slow_mode_is_given_up_but_the_best_one_never(asked):
    section = fakes.section(a=("slow", "x"), b=("slow",))
    results = timing.run_section(section, 5, 1)
    counts = [len(line["ms"]) for line in results["workloads"]["small"]["lines"]]
    assert counts == [2, 5, 5]


def test_worker_that_fails_is_absent_with_its_last_words(asked):
    section = fakes.section(a=("fails", "x"), dies=("x", "y"), late=("x",))
    results = timing.run_section(section, 1, 1)
    absent = [line.get("absent") for line in results["workloads"]["small"]["lines"]]
    assert absent == ["ValueError: not in this mode", None,
                      *["MemoryError: no room"] * 2,
                      "ImportError: no such library"]


def test_facts_of_a_worker_are_kept(asked, capsys):
    results = timing.run_section(fakes.section(tells=("x",), b=("x",)), 2, 1)
    found = [line["facts"] for line in results["workloads"]["small"]["lines"]]
    assert found == [{"share": 0.25}, {}]
    assert "small: tells x is warm" in capsys.readouterr().out.split("; share 0.25")[0]


def test_only_the_named_contenders_are_timed(asked):
    section = dataclasses.replace(
        fakes.section(a=("x",), b=("x",)),
        workloads={"small": Workload("Small", only=("b",))})
    results = timing.run_section(section, 1, 1)
    assert [line["contender"] for line in results["workloads"]["small"]["lines"]] == [
        "b"]


def test_subjects_share_a_process_where_the_section_says_so(asked):
    section = dataclasses.replace(fakes.section(a=("x",), b=("x",)), contenders={
        name: Contender(name, "many", ("x",), f"s{name}") for name in "ab"})
    for together, processes in ((False, ["a", "b"]), (True, ["many"])):
        section = dataclasses.replace(section, together=together)
        places = {timing._process_of(name, section.contenders[name], section)
                  for name in "ab"}
        assert sorted(places) == processes
    timing.run_section(section, 1, 1)
    assert asked.read_text().split("\n")[:2] == ["many sa small x 1",
                                                 "many sb small x 1"]


def test_time_that_is_up_ends_warm_ups_and_rounds(asked):
    section = fakes.section(a=("x", "y"), b=("x",))
    results = timing.run_section(section, 3, 1, seconds=0)
    lines = results["workloads"]["large"]["lines"]
    assert [line["absent"] for line in lines] == [
        "its turn did not come within 0 minutes"] * 3
    results = timing.run_section(fakes.section(a=("x", "slow")), 50, 1, seconds=0.3)
    line = results["workloads"]["small"]["lines"][0]
    assert 1 <= len(line["ms"]) < 50


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="Linux tells it")
def test_memory_is_the_most_that_a_process_has_had(asked):
    results = timing.run_section(fakes.section(a=("x",)), 1, 1)
    [line] = results["workloads"]["small"]["lines"]
    assert 0 <= line["memory"] < 100
