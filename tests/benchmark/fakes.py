"""Sections and times that the tests of the benchmarks make up."""

from tools.benchmark.section import Contender, Section, Workload

MACHINE = {"cpu": "Abacus 3", "cores": 2, "system": "Linux", "python": "3.11"}


def section(targets=(), **modes):
    """A section with two workloads, and a contender for each keyword."""
    return Section(
        "Fake", "For the test.",
        {name: Contender(name.upper(), name, found) for name, found in modes.items()},
        {"small": Workload("Small"), "large": Workload("Large", share=0.5)}, targets)


def lines(**ms):
    """Lines of a workload: `lines(a={"x": [1.0]})` is contender a in mode x."""
    return [{"contender": name, "mode": mode, "ms": times, "cpu_ms": times,
             "warm_up": 1.5} for name, found in ms.items()
            for mode, times in found.items()]


def absent(contender, mode, why="no torch"):
    """A line without times."""
    return {"contender": contender, "mode": mode, "ms": [], "absent": why}


def results(known, times, busy_cores=0.0):
    """What was measured of a section, the same at each of its workloads."""
    return {"machine": MACHINE, "repeats": 3,
            "versions": {"a": {"keras": "3.15"}, "b": {}},
            "workloads": {name: {"steps": 20, "busy_cores": busy_cores, "lines": times}
                          for name in known.workloads}}
