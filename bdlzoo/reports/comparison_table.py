"""Table of methods and their scores over seeds, in three formats."""

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
    p_value: float  # Of the difference from the first method, which has NaN.
    values: tuple  # One for each seed.


def compare(results):
    """Computes means, intervals and tests against the first method.

    Args:
        results: Dict from the name of a method, then of a score, to a list of values,
            one for each seed. All methods have the same seeds in the same order. The
            others are tested against the first method; p values are corrected for the
            number of methods by Holm.

    Returns:
        Dict from the name of a method, then of a score, to a `Cell`.
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
    """The table in Markdown; `*` marks a corrected p value below 0.05.

    Args:
        table: Dict that `compare` returned.
    """
    scores = _scores(table)
    lines = ["| | " + " | ".join(scores) + " |", "|---|" + "---|" * len(scores)]
    for name, cells in table.items():
        name = name.replace("|", r"\|")
        lines.append(f"| {name} | " + " | ".join(
            _text(cells[s], "±", "*") for s in scores) + " |")
    return "\n".join(lines) + "\n"


def to_csv(table):
    """The table as CSV: a row for each method and score, with the value of each seed.

    Args:
        table: Dict that `compare` returned.
    """
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
    """The table as a `tabular` of LaTeX, which needs the package `booktabs`.

    Args:
        table: Dict that `compare` returned.
    """
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
    """Mean and half width of its interval, with the digits that the width allows."""
    value, low, high = cell.interval
    half = (high - low) / 2
    star = mark if cell.p_value < 0.05 else ""
    if not half > 0:  # One seed, or equal values.
        return f"{value:.4g}{star}"
    digits = max(0, 1 - math.floor(math.log10(half)))
    return f"{value:.{digits}f} {plus_minus} {half:.{digits}f}{star}"


def _escape(text):
    return "".join(_SPECIAL.get(character, character) for character in text)
