"""What arithmetic alone would take, beside what a step takes.

    limit = GFLOP of the method * (ms of the plain network / its GFLOP)

GFLOP are those of all products of matrices and convolutions in the graph of a
step: what a method cannot avoid, once it is written like this. At the rate of the
plain network, with the rest of its step in the price, it could not be faster; what
it takes beyond is noise, reading and writing of weights, and calls.
"""

import numpy as np

from tools.benchmark import measured


def table(section, workload, results):
    """The lines of a page that say where the time goes."""
    lines, found = results["workloads"][workload]["lines"], []
    first = next(iter(section.contenders))
    base = arithmetic(lines, first).get("GFLOP")
    rates = {line["mode"]: float(np.median(line["ms"])) / base for line in lines
             if base and line["contender"] == first and "absent" not in line}
    for name, contender in section.contenders.items():
        line, facts = measured.best_line(lines, name), arithmetic(lines, name)
        rate = rates.get(line["mode"]) if line else None
        if rate is None or "GFLOP" not in facts:
            continue
        spent, limit = float(np.median(line["ms"])), facts["GFLOP"] * rate
        found.append(f"| {contender.label} | {line['mode']} | {facts['GFLOP']:.3g} | "
                     f"{facts.get('million random words', 0):.3g} | {limit:.2f} | "
                     f"{spent:.2f} | {spent - limit:.2f} | {spent / limit:.2f} |")
    if not found:
        return []
    return ["", "### Where the time goes, and what the limit is", "",
            "Products of matrices and convolutions of a step in its best mode, in "
            "billions of operations, and random words of 32 bits that it draws; the "
            "limit is what they would take at the rate that the plain network has in "
            "that mode. What a step takes beyond it is noise, optimiser and prior on "
            "every weight, memory, and calls; below 1, larger products run at a better "
            "rate.", "",
            "| | mode | GFLOP | million random words | limit, ms | ms a step | beyond, "
            "ms | ms over limit |", "|---|---|---|---|---|---|---|---|", *found]


def arithmetic(lines, contender):
    """What the graph of a contender's step was found to hold, in any mode."""
    facts = {}
    for line in lines:
        if line["contender"] == contender:
            facts.update(line.get("facts", {}))
    return facts
