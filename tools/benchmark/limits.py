"""The time of the arithmetic of a step alone, beside the time of the step.

    limit = GFLOP of the method * (ms of the plain network / its GFLOP)

GFLOP counts all products of matrices and convolutions in the graph of a step. The
rate is that of the plain network in the same mode, with the rest of its step in the
price. The time beyond the limit goes to noise, to reading and writing of weights,
and to calls.
"""

import numpy as np

from tools.benchmark import measured, modes


def of(section, lines, contender):
    """The limit of a contender in its best mode, in ms; `None` if unknown.

    Args:
        section: `Section`; its first contender is the plain network.
        lines: List of dictionaries, the lines of a workload.
        contender: String, its name.
    """
    plain = next(iter(section.contenders))
    line = measured.best_line(lines, contender)
    base = measured.facts_of(lines, plain).get("GFLOP")
    own = measured.facts_of(lines, contender).get("GFLOP")
    rates = {found["mode"]: float(np.median(found["ms"])) / base for found in lines
             if base and found["contender"] == plain and "absent" not in found}
    if line is None or own is None or line["mode"] not in rates:
        return None
    return own * rates[line["mode"]]


def ratio(section, lines, contender):
    """Time of a contender over its limit; `None` if unknown."""
    limit = of(section, lines, contender)
    return None if limit is None else measured.best(lines, contender) / limit


def table(section, workload, results):
    """Lines of a page that compare the times of a workload with their limits."""
    lines = results["workloads"][workload]["lines"]
    rows = [_row(section, lines, name) for name in section.contenders
            if of(section, lines, name) is not None]
    if not rows:
        return []
    return ["", "## Time beyond the arithmetic", "",
            "GFLOP are the products of matrices and convolutions of a step in its best "
            "mode, in billions of operations; random words have 32 bits. The limit is "
            "the time of these operations at the rate of the plain network in the same "
            "mode. The time beyond it goes to noise, to optimiser and prior of every "
            "weight, to memory, and to calls. A ratio below 1 means that larger "
            "products run at a better rate.", "",
            "| Contender | mode | GFLOP | million random words | limit, ms | ms a step "
            "| beyond, ms | over the limit |", "|---|---|---|---|---|---|---|---|",
            *rows]


def _row(section, lines, name):
    line, facts = measured.best_line(lines, name), measured.facts_of(lines, name)
    spent, limit = float(np.median(line["ms"])), of(section, lines, name)
    return (f"| {section.contenders[name].label} | {modes.title(line['mode'])} | "
            f"{facts['GFLOP']:.3g} | {facts.get('million random words', 0):.3g} | "
            f"{limit:.2f} | {spent:.2f} | {spent - limit:.2f} | "
            f"{spent / limit:.2f} |")
