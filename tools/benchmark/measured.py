"""Medians, best modes, ratios and verdicts, read from measured times."""

import numpy as np

TRIALS = 2  # Rounds after which a mode may be given up ...
HOPELESS = 2.0  # ... when it takes so many times as long as the best mode.
BUSY = 0.1  # Share of the cores in use by others above which a verdict is open.


def best_line(lines, contender):
    """The line of the best mode of a contender; `None` where it is absent."""
    present = [line for line in lines
               if line["contender"] == contender and "absent" not in line]
    return min(present, key=lambda line: np.median(line["ms"]), default=None)


def best(lines, contender):
    """Median of the best mode of a contender; `None` where it is absent."""
    line = best_line(lines, contender)
    return None if line is None else float(np.median(line["ms"]))


def ratio(lines, contender, other):
    """Time of a contender over that of another; `None` where one is absent."""
    times = best(lines, contender), best(lines, other)
    return None if None in times else times[0] / times[1]


def in_words(value, digits=2):
    """A number with so many digits after the point; empty for `None`."""
    return "" if value is None else f"{value:.{digits}f}"


def facts_of(lines, contender):
    """The facts that a worker reported about a contender, in any mode."""
    facts = {}
    for line in lines:
        if line["contender"] == contender:
            facts.update(line.get("facts", {}))
    return facts


def facts_in_words(line):
    """The facts that a worker reported, as words."""
    return "".join(f"; {name} {value:.4g}"
                   for name, value in line.get("facts", {}).items())


def verdict(met, workloads, results):
    """Whether a bound is met, and whether the machine was too busy to say so.

    Args:
        met: Bool; `None` where something is absent.
        workloads: Names of the workloads that the bound is about.
        results: Dictionary, what was measured of the section.
    """
    if met is None:
        return "not measured"
    load = max(results["workloads"][name]["busy_cores"] or 0 for name in workloads)
    busy = load > BUSY * results["machine"]["cores"]
    return ("met" if met else "missed") + (
        " (unsettled: the machine was busy)" if busy else "")
