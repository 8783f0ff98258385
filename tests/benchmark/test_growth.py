"""Exponents of growth: known powers, and verdicts."""

import math

import pytest

from tools.benchmark import growth
from tools.benchmark.section import Contender, Growth, Section, Workload

SIZES = {"one": 1, "four": 4, "sixteen": 16}


def test_exponent_is_that_of_a_power():
    assert growth.exponent([1, 3, 7], [2.0 * s**1.5 for s in (1, 3, 7)]) == (
        pytest.approx(1.5))
    assert growth.exponent([1, 2, 4], [5.0] * 3) == pytest.approx(0.0, abs=1e-9)


def test_exponent_is_the_slope_of_least_squares():
    # Logarithms 0, 1, 2 against 0, 2, 3: a slope of 3/2.
    sizes, values = ([math.exp(v) for v in found] for found in ((0, 1, 2), (0, 2, 3)))
    assert growth.exponent(sizes, values) == pytest.approx(1.5)


@pytest.mark.parametrize("sizes, values", [
    ([1], [1.0]), ([1, 2], [None, 1.0]), ([1, 2], [0.0, 1.0])])
def test_exponent_needs_two_values_above_zero(sizes, values):
    assert growth.exponent(sizes, values) is None


def _table(times, memory, **options):
    section = Section(
        "Fake", "", {"a": Contender("A", "a", ("x", "y"))},
        {name: Workload(name) for name in SIZES},
        growth=Growth("draws", SIZES, ("a",), **options))
    workloads = {name: {"busy_cores": 0.0, "lines": [
        {"contender": "a", "mode": "x", "ms": [time], "memory": megabytes},
        {"contender": "a", "mode": "y", "ms": [9e9], "memory": 1.0}]
        if time else [{"contender": "a", "mode": "x", "ms": [], "absent": "no"}]}
        for name, time, megabytes in zip(SIZES, times, memory, strict=True)}
    return growth.table(section, {"machine": {"cores": 2}, "workloads": workloads})[-1]


def test_table_holds_time_memory_and_budget_to_their_limits():
    line = _table([1.0, 4.0, 16.0], [100.0, 200.0, 400.0], limit=1.05, budget=512.0)
    assert line == "| A | 1.00 | 0.50 | 1.05 | met | 400 | 512 | met |"
    line = _table([1.0, 5.0, 25.0], [100.0, 200.0, 600.0], limit=1.05, budget=512.0)
    assert "| 1.05 | missed | 600 | 512 | missed |" in line
    # Memory counts too.
    line = _table([1.0, 4.0, 16.0], [1.0, 16.0, 256.0], limit=1.05)
    assert line == "| A | 1.00 | 2.00 | 1.05 | missed | 256 |  |  |"


def test_size_that_is_absent_leaves_no_exponent():
    line = _table([1.0, None, 16.0], [1.0, 2.0, 4.0], limit=1.05)
    assert line.startswith("| A |  |  | 1.05 | not measured | 4 |")
