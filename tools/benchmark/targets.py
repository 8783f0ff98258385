"""Bounds of a section, and whether the measured values keep them."""

import dataclasses

from tools.benchmark import measured


@dataclasses.dataclass(frozen=True)
class Outcome:
    """A bound and what was measured.

    Args:
        ours: String, name of the contender that the bound is for.
        workload: String, name of the workload.
        cells: Tuple of strings, a row of the table of targets.
        verdict: String, its last cell; it starts with "met" where the bound is kept.
    """

    ours: str
    workload: str
    cells: tuple
    verdict: str


HEAD = ["| Contender | over | at | at most | measured | verdict |",
        "|---|---|---|---|---|---|"]


def outcomes(section, results):
    """The outcome of every target and agreement of a section."""
    return [*(_target(target, section, results) for target in section.targets),
            *(_agreement(found, section, results) for found in section.agreements)]


def table(section, results):
    """Lines of a page with all outcomes; empty where a section has no bounds."""
    rows = ["| " + " | ".join([*outcome.cells, outcome.verdict]) + " |"
            for outcome in outcomes(section, results)]
    return ["", "## Targets", "", *HEAD, *rows] if rows else []


def _target(target, section, results):
    ours = target.ours or next(iter(section.contenders))
    lines = results["workloads"][target.workload]["lines"]
    ratio = _ratio(target, ours, lines)
    met = None if ratio is None else ratio <= target.limit
    verdict = measured.verdict(met, [target.workload], results)
    bound = f"{target.limit:g}"
    if target.goal is not None:
        bound += f" (goal {target.goal:g})"
        if met:
            reached = "goal too" if ratio <= target.goal else "goal missed"
            verdict = verdict.replace("met", f"met, {reached}", 1)
    return Outcome(ours, target.workload, (
        section.contenders[ours].label, _other(target, section),
        section.workloads[target.workload].title, bound,
        measured.in_words(ratio)), verdict)


def _ratio(target, ours, lines):
    ratio = measured.ratio(lines, ours, target.other)
    if ratio is None or not target.rivals:
        return ratio
    rivals = measured.ratio(lines, *target.rivals)
    return None if rivals is None else ratio / rivals


def _other(target, section):
    label = section.contenders[target.other].label
    if not target.rivals:
        return label
    first, second = (section.contenders[name].label for name in target.rivals)
    return f"{label}, divided by ({first} over {second})"


def _agreement(agreement, section, results):
    lines = results["workloads"][agreement.workload]["lines"]
    first = next(iter(section.contenders))
    values = [[line["facts"][agreement.fact] for line in lines
               if line["contender"] == name and agreement.fact in line.get("facts", {})]
              for name in (first, agreement.other)]
    gap = met = None
    if all(values):
        gap = max(abs(ours - other) for ours in values[0] for other in values[1])
        met = gap <= agreement.limit + 1e-9  # A difference of decimals is not exact.
    verdict = {None: "not measured", True: "met", False: "missed"}[met]
    title = section.workloads[agreement.workload].title
    return Outcome(first, agreement.workload, (
        section.contenders[first].label, section.contenders[agreement.other].label,
        f"{title}: {agreement.fact}, difference", f"{agreement.limit:g}",
        measured.in_words(gap, 4)), verdict)
