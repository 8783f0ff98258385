"""The summary page of the benchmarks: one line for each thing that was timed.

All numbers are ratios and medians of the measured times. Nothing is typed by hand.
"""

from tools.benchmark import details, growth, limits, measured, targets


def page(sections, found):
    """The text of `docs/benchmarks.md`.

    Args:
        sections: Dictionary, name to `Section`.
        found: Dictionary, name to what was measured, for the sections that were run.
    """
    timed = {name: section for name, section in sections.items() if name in found}
    lines = [
        "# Benchmarks", "",
        "Written by `python -m tools.benchmark` from the times in "
        "`docs/benchmarks/*.json`. Each section has a page with all contenders, modes, "
        "rounds and conditions; the links lead there.", "",
        "A time is the median of the best mode of a contender, in milliseconds a step. "
        "A ratio is the time of ours divided by that of the other: below 1, ours is "
        "faster. The plain network is the deterministic one in plain Keras. The limit "
        "is the time of the arithmetic alone, at the rate of the plain network.", "",
        _machines(found)]
    lines += _verdicts(timed, found) + _comparisons(timed, found)
    for together in ([name for name in timed if timed[name].limits],
                     [name for name in timed if timed[name].together
                      and not timed[name].limits]):
        lines += _methods({name: timed[name] for name in together}, found)
    lines += _growth(timed, found)
    lines += ["", "## Pages of the sections", "",
              *(f"- {_link(name, section)}" for name, section in timed.items())]
    return "\n".join(lines) + "\n"


def _machines(found):
    words = dict.fromkeys(map(details.machine_in_words, found.values()))
    return " ".join(words)


def _verdicts(sections, found):
    """How many targets are met, and which ones are not."""
    outcomes = [(name, outcome) for name, section in sections.items()
                for outcome in targets.outcomes(section, found[name])]
    if not outcomes:
        return []
    missed = [(name, outcome) for name, outcome in outcomes
              if not outcome.verdict.startswith("met")]
    lines = ["", "## Targets", "",
             f"{len(outcomes) - len(missed)} of {len(outcomes)} targets are met."]
    if missed:
        lines += ["", "The others:", "",
                  "| Section " + targets.HEAD[0], "|---" + targets.HEAD[1]]
        lines += [_row([_link(name, sections[name]), *outcome.cells, outcome.verdict])
                  for name, outcome in missed]
    return lines


def _comparisons(sections, found):
    rows = [row for name, section in sections.items() if not section.together
            for row in _compared(name, section, found[name])]
    if not rows:
        return []
    return ["", "## Ours beside the plain network and other libraries", "",
            "\"Other ways\" are other programs for the same work, named with their "
            "ratio.", "",
            "| Section | Workload | Ours | ms | over the plain network | over other "
            "libraries | over other ways | targets |",
            "|---|---|---|---|---|---|---|---|", *rows]


def _compared(name, section, results):
    """A row for each workload and contender of ours that has a comparison."""
    for key, workload in section.workloads.items():
        if workload.only:  # The sizes between: the growth says enough.
            continue
        lines = results["workloads"][key]["lines"]
        for ours in section.ours():
            plain, *others = ([_ratio_in_words(section, lines, ours, other, role)
                               for other in section.compared(ours, role)]
                              for role in ("plain", "library", "other"))
            cells = [", ".join(filter(None, words)) for words in (plain, *others)]
            if any(cells):
                yield _row([_link(name, section), workload.title,
                            section.contenders[ours].label,
                            measured.in_words(measured.best(lines, ours)), *cells,
                            _targets_in_words(section, results, key, ours)])


def _ratio_in_words(section, lines, ours, other, role):
    ratio = measured.in_words(measured.ratio(lines, ours, other))
    if not ratio or role == "plain":
        return ratio
    return f"{ratio} ({section.contenders[other].label})"


def _targets_in_words(section, results, workload, ours):
    """Whether the targets of ours at a workload are met; empty without any."""
    verdicts = [outcome.verdict for outcome in targets.outcomes(section, results)
                if (outcome.workload, outcome.ours) == (workload, ours)]
    kinds = dict.fromkeys(verdicts)
    if len(kinds) <= 1:
        return ", ".join(kinds)
    return ", ".join(f"{verdicts.count(kind)} {kind}" for kind in kinds)


def _methods(sections, found):
    """A table with a line for each method, and columns for each workload."""
    columns, rows = ["Method"], {}
    for name, section in sections.items():
        for key, workload in section.workloads.items():
            columns += [f"{workload.title}: ms", "over the plain network",
                        *(["over the limit"] if section.limits else [])]
        for contender in _timed(section, found[name]):
            label = section.contenders[contender].label
            rows.setdefault(contender, [label]).extend(
                _method(section, found[name], contender))
    if not rows:
        return []
    return ["", f"## Every method: {_subject(sections)}", "",
            " ".join(f"{_link(name, section)}." for name, section in sections.items()),
            *_remarks(sections), "",
            _row(columns), "|" + "---|" * len(columns),
            *map(_row, rows.values())]


def _timed(section, results):
    """Names of the contenders that were there when the section was timed."""
    asked = {line["contender"] for workload in results["workloads"].values()
             for line in workload["lines"]}
    return [name for name in section.contenders if name in asked]


def _subject(sections):
    return "training steps" if _has_limits(sections) else "exported models"


def _remarks(sections):
    if _has_limits(sections):
        return ["A method with empty cells cannot take the network."]
    return ["The plain network is that of `Deterministic`, exported."]


def _has_limits(sections):
    return any(section.limits for section in sections.values())


def _method(section, results, contender):
    """Cells of a method: time, ratio to the plain network, ratio to the limit."""
    [plain] = [name for name, other in section.contenders.items()
               if other.role == "plain"]
    for key in section.workloads:
        lines = results["workloads"][key]["lines"]
        yield measured.in_words(measured.best(lines, contender))
        yield measured.in_words(measured.ratio(lines, contender, plain))
        if section.limits:
            yield measured.in_words(limits.ratio(section, lines, contender))


def _growth(sections, found):
    rows = [_row([_link(name, section), section.contenders[contender].label,
                  f"{min(section.growth.sizes.values()):,} to "
                  f"{max(section.growth.sizes.values()):,} {section.growth.axis}",
                  *growth.of(section, found[name], contender).cells()])
            for name, section in sections.items() if section.growth
            for contender in section.growth.contenders]
    if not rows:
        return []
    return ["", "## Growth", "",
            "Exponents of time and memory over sizes: 1 is linear, below 1 is better. "
            "MB is the most at any size.", "",
            "| Section | Contender | range | exponent of time | exponent of memory | "
            "at most | verdict | MB | at most | verdict |",
            "|---|---|---|---|---|---|---|---|---|---|", *rows]


def _link(name, section):
    return f"[{section.title}](benchmarks/{name}.md)"


def _row(cells):
    return "| " + " | ".join(cells) + " |"
