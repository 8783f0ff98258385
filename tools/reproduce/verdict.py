"""Verdicts: whether a published value was reproduced.

A published value is reproduced when the mean over our seeds differs from it by no more
than two standard deviations over seeds, or by no more than 5 % of it. A value that
differs by more and is better than the published one counts as reproduced too.
"""

import dataclasses

import numpy as np

from tools.reproduce.columns import column

NEAR = 0.05  # Share of the published value.
SPREADS = 2.0  # Standard deviations over seeds.
RULE = ("A published value is reproduced (yes) when the mean over our seeds is within "
        f"{SPREADS:g} standard deviations over seeds of it, or within {100 * NEAR:g} % "
        "of it; a value that is farther away and better counts as reproduced (better).")


def verdict_of(values, published, better=""):
    """Compares one figure with its published value.

    Args:
        values: List of floats, one a seed; empty where there are none.
        published: Float.
        better: See `Column`.

    Returns:
        `"yes"`, `"better"` or `"no"`.
    """
    if not len(values) or not np.all(np.isfinite(values)):
        return "no"
    gap = np.mean(values) - published
    spread = np.std(values, ddof=1) if len(values) > 1 else 0.0
    if abs(gap) <= max(SPREADS * spread, NEAR * abs(published)):
        return "yes"
    ahead = {"higher": gap > 0, "lower": gap < 0}.get(better, False)
    return "better" if ahead else "no"


@dataclasses.dataclass(frozen=True)
class Compared:
    """One published value beside ours.

    Args:
        label: Name of the line.
        metric: Name of the metric.
        published: Float.
        values: List of floats, one a seed.
        verdict: `"yes"`, `"better"`, `"no"`, or `"not comparable"`.
        reason: Why it is not reproduced, a sentence; empty where that is not known.
    """

    label: str
    metric: str
    published: float
    values: list
    verdict: str
    reason: str = ""


def counted(table, results):
    """Results without the seeds on which settings were chosen.

    Args:
        table: `Table`.
        results: Dictionary of `docs/results/TABLE.json`.
    """
    if not table.chosen_on:
        return results
    left_out = sum(seed < results["seeds"] for seed in table.chosen_on)
    return {"seeds": results["seeds"] - left_out, "rows": [
        {**row, "scores": [score for place, score in enumerate(row["scores"])
                           if score.get("seed", place) not in table.chosen_on]}
        for row in results["rows"]]}


def compare(table, results):
    """All published values of a table beside ours.

    Args:
        table: `Table`.
        results: Dictionary of `docs/results/TABLE.json`, those that `counted` returns.

    Returns:
        List of `Compared`, in the order of the lines.
    """
    found = []
    for row in results["rows"]:
        for metric, value in published_of(table, row).items():
            values = [s[metric] for s in row["scores"] if metric in s]
            verdict = "not comparable" if table.incomparable else verdict_of(
                values, value, column(metric, table.name).better)
            reason = table.reasons.get((row["label"], metric), table.reasons.get(
                row["label"], ""))
            found.append(Compared(row["label"], metric, value, values, verdict, reason))
    return found


def published_of(table, row):
    """Published values of a line that was run: as the table has them now."""
    now = {line.label: line.published for line in table.rows}
    return now.get(row["label"], row["published"])


def table_verdict(table, compared):
    """The verdict on a table: all, some or none of its published values.

    Args:
        table: `Table`.
        compared: List of `Compared`.

    Returns:
        String: `"yes"`, `"partly"` or `"no"` with how many; `"not comparable"`,
        `"other scale"` where published figures stand in the note alone, or
        `"ours alone"` where nothing was published.
    """
    if not compared:
        return "other scale" if table.incomparable else "ours alone"
    if table.incomparable:
        return "not comparable"
    reached = sum(each.verdict != "no" for each in compared)
    better = sum(each.verdict == "better" for each in compared)
    word = "yes" if reached == len(compared) else "partly" if reached else "no"
    return f"{word}, {reached} of {len(compared)}" + (
        f" ({better} better)" if better else "")
