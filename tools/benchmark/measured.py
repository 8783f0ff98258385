"""What the times of a workload say: medians, best modes, verdicts."""

import numpy as np

TRIALS = 2  # Rounds after which a mode may be given up ...
HOPELESS = 2.0  # ... when it takes so many times what the best mode takes.
BUSY = 0.1  # Share of the cores in the hands of others that spoils a verdict.


def best_line(lines, contender):
    """The line of the contender's best mode; `None` where it is absent."""
    present = [line for line in lines
               if line["contender"] == contender and "absent" not in line]
    return min(present, key=lambda line: np.median(line["ms"]), default=None)


def best(lines, contender):
    """Median of the contender's best mode; `None` where it is absent."""
    line = best_line(lines, contender)
    return None if line is None else float(np.median(line["ms"]))


def told(line):
    """What a contender has found, in words."""
    return "".join(f"; {name} {value:.4g}"
                   for name, value in line.get("facts", {}).items())


def verdict(met, workloads, results):
    """Whether a bound is met, as far as the machine lets one say.

    Args:
        met: Bool; `None` where something is absent.
        workloads: Names of the workloads that it is about.
        results: What was measured.
    """
    if met is None:
        return "not measured"
    load = max(results["workloads"][name]["load"] or 0 for name in workloads)
    busy = load > BUSY * results["machine"]["cores"]
    return ("met" if met else "missed") + (
        " (unsettled: the machine was busy)" if busy else "")
