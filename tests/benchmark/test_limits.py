"""The limit of arithmetic, at the rate of the plain network in the same mode."""

from tools.benchmark import limits
from tools.benchmark.section import Contender, Section, Workload


def _line(contender, mode, ms, **facts):
    return {"contender": contender, "mode": mode, "ms": [ms], "facts": facts}


def _table(*lines):
    section = Section("Fake", "", {name: Contender(name.upper(), name, ("graph", "xla"))
                                   for name in "pab"}, {"mlp": Workload("MLP")})
    return limits.table(section, "mlp", {"workloads": {"mlp": {"lines": list(lines)}}})


def test_limit_is_arithmetic_at_the_rate_of_the_first_in_that_mode():
    words = {"million random words": 0.5}
    table = _table(_line("p", "graph", 10.0, GFLOP=2.0), _line("p", "xla", 4.0),
                   _line("a", "graph", 30.0, GFLOP=3.0, **words),
                   _line("a", "xla", 24.0))
    assert "| A | XLA | 3 | 0.5 | 6.00 | 24.00 | 18.00 | 4.00 |" in table
    assert "| P | XLA | 2 | 0 | 4.00 | 4.00 | 0.00 | 1.00 |" in table


def test_absent_or_uncounted_contender_has_no_limit():
    absent = {"contender": "b", "mode": "graph", "ms": [], "absent": "no"}
    table = _table(_line("p", "graph", 10.0, GFLOP=2.0), absent,
                   _line("a", "graph", 1.0))
    assert len([line for line in table if line.startswith("| P")]) == 1
    assert not any(line.startswith(("| A", "| B")) for line in table)
    assert _table(absent) == []
