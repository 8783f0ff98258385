"""Growth of time and memory over the sizes of a section.

    value ~ size ** exponent        least squares of the logarithms

A constant part, such as the start of a call, lowers the exponent of small sizes. The
exponent holds for the measured range only.
"""

import dataclasses

import numpy as np

from tools.benchmark import measured


@dataclasses.dataclass(frozen=True)
class Found:
    """The growth of one contender.

    Args:
        time: Float, exponent of the time; `None` where a size is missing.
        memory: Float, exponent of the memory; `None` where a size is missing.
        limit: String, the bound on both exponents; empty for none.
        verdict: String, whether it is met; empty for none.
        megabytes: Float, the most at any size; `None` if unknown.
        budget: String, the bound on the megabytes; empty for none.
        budget_verdict: String, whether it is met; empty for none.
    """

    time: float | None
    memory: float | None
    limit: str
    verdict: str
    megabytes: float | None
    budget: str
    budget_verdict: str

    def cells(self):
        """Cells of a table."""
        return [measured.in_words(self.time), measured.in_words(self.memory),
                self.limit, self.verdict, measured.in_words(self.megabytes, 0),
                self.budget, self.budget_verdict]


def exponent(sizes, values):
    """Slope of `log(values)` over `log(sizes)`; `None` where a value is missing."""
    if len(sizes) < 2 or any(value is None or value <= 0 for value in values):
        return None
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def curves(section, results, contender):
    """Sizes, milliseconds and megabytes of a contender in its best mode."""
    sizes, times, memory = [], [], []
    for workload, size in section.growth.sizes.items():
        lines = results["workloads"][workload]["lines"]
        line = measured.best_line(lines, contender)
        if line is not None:
            sizes.append(size)
            times.append(float(np.median(line["ms"])))
            memory.append(line.get("memory"))
    return sizes, times, memory


def of(section, results, contender):
    """The growth of a contender; returns `Found`."""
    growth = section.growth
    sizes, times, memory = curves(section, results, contender)
    whole = len(sizes) == len(growth.sizes)
    exponents = [exponent(sizes, values) if whole else None
                 for values in (times, memory)]
    most = max((value for value in memory if value is not None), default=None)
    bounded = contender in growth.contenders
    return Found(
        *exponents, *_bound(bounded and growth.limit, exponents, growth, results),
        most, *_bound(bounded and growth.budget, [most], growth, results))


def table(section, results):
    """Lines of a page with the growth of all contenders."""
    rows = [f"| {contender.label} | "
            + " | ".join(of(section, results, name).cells()) + " |"
            for name, contender in section.contenders.items()]
    return ["", f"## Growth with {section.growth.axis}", "",
            "Exponents of time and memory, by least squares of the logarithms; a "
            "constant start lowers them. MB is the most at any size.", "",
            "| Contender | exponent of time | exponent of memory | at most | verdict "
            "| MB | at most | verdict |", "|---|---|---|---|---|---|---|---|", *rows]


def _bound(limit, values, growth, results):
    """The bound in words and its verdict; empty without a bound."""
    if not limit:
        return "", ""
    met = None if None in values else max(values) <= limit
    return f"{limit:g}", measured.verdict(met, growth.sizes, results)
