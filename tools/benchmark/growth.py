"""How time and memory grow over the sizes of a section.

    value ~ size ** exponent        least squares of the logarithms

Whatever is constant, such as a start, lowers the exponent of small sizes: it is that
of this range, not of infinity.
"""

import numpy as np

from tools.benchmark import measured


def exponent(sizes, values):
    """Slope of `log(values)` over `log(sizes)`; `None` where a value is missing."""
    if len(sizes) < 2 or any(value is None or value <= 0 for value in values):
        return None
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def curves(section, results, contender):
    """Sizes, and milliseconds and megabytes of a contender's best mode at each."""
    sizes, times, memory = [], [], []
    for workload, size in section.growth.sizes.items():
        lines = results["workloads"][workload]["lines"]
        line = measured.best_line(lines, contender)
        if line is not None:
            sizes.append(size)
            times.append(float(np.median(line["ms"])))
            memory.append(line.get("memory"))
    return sizes, times, memory


def table(section, results):
    """The lines of a page that say how everything grows."""
    growth = section.growth
    limit = "" if growth.limit is None else f"{growth.limit:g}"
    lines = ["", f"### Growth with {growth.axis}", "",
             "Exponents of time and memory, by least squares of the logarithms; a "
             "constant start lowers them. Megabytes are the most at any size.", "",
             "| | time | memory | at most | | MB | at most | |",
             "|---|---|---|---|---|---|---|---|"]
    for name, contender in section.contenders.items():
        sizes, times, memory = curves(section, results, name)
        whole = len(sizes) == len(growth.sizes)
        found = [exponent(sizes, values) if whole else None
                 for values in (times, memory)]
        bound = name in growth.contenders
        most = max((m for m in memory if m is not None), default=None)
        lines.append(" | ".join([
            f"| {contender.label}", *map(_number, found),
            *_bounded(bound, limit, _within(found, growth.limit), growth, results),
            "" if most is None else f"{most:.0f}",
            *_bounded(bound, f"{growth.budget:g}" if growth.budget else "",
                      _within([most], growth.budget), growth, results)]) + " |")
    return lines


def _bounded(bound, limit, met, growth, results):
    if not bound or not limit:
        return "", ""
    return limit, measured.verdict(met, growth.sizes, results)


def _within(values, limit):
    if limit is None or None in values:
        return None
    return max(values) <= limit


def _number(value):
    return "" if value is None else f"{value:.2f}"
