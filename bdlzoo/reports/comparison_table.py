"""Methods by scores over seeds, as one table in three formats."""

import csv
import io
import math
import typing

from bdlzoo.core.interval import Interval
from bdlzoo.metrics.seed_comparison import holm, mean_interval, paired_p_value

_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}",
            "^": r"\textasciicircum{}", **{c: f"\\{c}" for c in "&%$#_{}"}}


class Cell(typing.NamedTuple):
    """One score of one method."""

    interval: Interval  # Mean over seeds, and its interval.
    p_value: float  # Of the difference from the first method; NaN for itself.
    values: tuple  # One a seed.


def compare(results):
    """Means, intervals and tests against the first method.

    Args:
        results: By the name of a method, by the name of a score, its values, a
            seed each and the same seeds for all. The first method is what the
            others are tested against; p values are Holm's, over the methods.

    Returns:
        By the name of a method, by the name of a score, a `Cell`.
    """
    if not results:
        raise ValueError("Expected at least one method. Received: none")
    names, first = list(results), next(iter(results.values()))
    for name, scores in results.items():
        if scores.keys() != first.keys():
            raise ValueError(
                "Expected the same scores of all methods. Received: "
                f"{sorted(first)} of {names[0]!r}, {sorted(scores)} of {name!r}")
    table = {name: {} for name in names}
    for score, reference in first.items():
        tests = holm([math.nan, *(paired_p_value(results[name][score], reference)
                                  for name in names[1:])])
        for name, p_value in zip(names, tests):
            values = tuple(map(float, results[name][score]))
            table[name][score] = Cell(mean_interval(values), float(p_value), values)
    return table


def to_markdown(table):
    """A table for a page; `*` marks a corrected p value below 0.05."""
    scores = _scores(table)
    lines = ["| | " + " | ".join(scores) + " |", "|---|" + "---|" * len(scores)]
    for name, cells in table.items():
        name = name.replace("|", r"\|")
        lines.append(f"| {name} | " + " | ".join(
            _text(cells[s], "±", "*") for s in scores) + " |")
    return "\n".join(lines) + "\n"


def to_csv(table):
    """A row for each method and score, numbers in full, seed by seed too."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    count = len(next(iter(next(iter(table.values())).values())).values)
    writer.writerow(["method", "score", "mean", "low", "high", "p_value",
                     *(f"seed_{i}" for i in range(count))])
    for name, cells in table.items():
        for score, (interval, p_value, values) in cells.items():
            writer.writerow([name, score, *interval, p_value, *values])
    return file.getvalue()


def to_latex(table):
    """A `tabular` for a paper; it needs the package `booktabs`."""
    scores = _scores(table)
    lines = [r"\begin{tabular}{l" + "r" * len(scores) + "}", r"\toprule",
             " & ".join(["", *map(_escape, scores)]) + r" \\", r"\midrule"]
    for name, cells in table.items():
        lines.append(" & ".join([_escape(name), *(
            _text(cells[s], r"$\pm$", r"$^{*}$") for s in scores)]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _scores(table):
    return list(next(iter(table.values())))


def _text(cell, plus_minus, mark):
    """Mean and half of its interval, to the digits that the interval allows."""
    value, low, high = cell.interval
    half = (high - low) / 2
    star = mark if cell.p_value < 0.05 else ""
    if not half > 0:  # One seed, or seeds that agree.
        return f"{value:.4g}{star}"
    digits = max(0, 1 - math.floor(math.log10(half)))
    return f"{value:.{digits}f} {plus_minus} {half:.{digits}f}{star}"


def _escape(text):
    return "".join(_SPECIAL.get(character, character) for character in text)
