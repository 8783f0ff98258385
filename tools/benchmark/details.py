"""The page of one section: every contender, mode and round, and the targets."""

import numpy as np

from tools.benchmark import growth, limits, measured, modes, quiet, targets


def page(name, section, results):
    """The text of `docs/benchmarks/<name>.md`.

    Args:
        name: String, name of the section.
        section: `Section`.
        results: Dictionary, what was measured of it.
    """
    lines = [
        f"# {section.title}", "",
        "Written by `python -m tools.benchmark`; the [summary](../benchmarks.md) has "
        "all sections.", "", section.note, "", _method(results), "",
        f"    python -m tools.benchmark --section={name}", "",
        f"{machine_in_words(results)} {_versions(section, results)}.", "",
        f"![{section.title}](../figures/benchmarks_{name}.png)"]
    for key, workload in section.workloads.items():
        lines += _workload(workload, section, results["workloads"][key])
        if section.limits:
            lines += limits.table(section, key, results)
    if section.growth:
        lines += growth.table(section, results)
    return "\n".join(lines + targets.table(section, results)) + "\n"


def machine_in_words(results):
    """The machine that a section was timed on."""
    found = results["machine"]
    return (f"{found['cpu']}, {found['cores']} cores, {found['system']}, Python "
            f"{found['python']}.")


def _method(results):
    words = ("Times are medians, with the interquartile range, over rounds in which "
             "the contenders take turns; each has a process of its own, and the others "
             "wait. Warm-up (tracing, compiling, first steps) is not in the times")
    if results.get("warm_seconds"):
        words += (f", nor are {results['warm_seconds']:g} s of the same steps before "
                  "each round, which wake up threads and fill caches")
    words += "."
    if results.get("patience"):
        words += (" A round waits until products of matrices on all cores take at most "
                  f"{quiet.TOLERANCE:g} of their best time, and is timed again where "
                  "they take longer after it.")
    return words + (
        " Ratios are of medians, to the best mode of the first contender. CPU ms is "
        "the time of all cores together. A mode was given up after "
        f"{measured.TRIALS} rounds when it took {measured.HOPELESS:g} times as long as "
        "the best mode of its contender.")


def _versions(section, results):
    """The packages of the contenders; equal ones are named once."""
    packages = {}
    for name, found in results["versions"].items():
        if found and name in section.contenders:
            words = ", ".join(f"{key} {number}" for key, number in found.items())
            packages.setdefault(words, []).append(section.contenders[name].label)
    return "; ".join(
        f"{labels[0] if len(labels) == 1 else f'{len(labels)} contenders'}: {words}"
        for words, labels in packages.items())


def _workload(workload, section, results):
    first = measured.best(results["lines"], next(iter(section.contenders)))
    facts = list({name: None for line in results["lines"]
                  for name in line.get("facts", {})})
    columns = ["Contender", "mode", "ms a step", "interquartile range",
               "ratio to the first", "CPU ms", "rounds", "warm-up, s",
               *(["peak MB"] if section.growth else []), *facts]
    lines = ["", f"## {workload.title}", "",
             f"{results['steps']} steps a round{_disturbances(results)}.", "",
             _row(columns), "|" + "---|" * len(columns)]
    for line in results["lines"]:
        label = section.contenders[line["contender"]].label
        cells = [label, modes.title(line["mode"]), *_cells(line, first)]
        if section.growth:
            cells.append(measured.in_words(line.get("memory"), 0))
        cells += [_fact(line, name) for name in facts]
        lines.append(_row(cells))
    return lines


def _cells(line, first):
    """Times of a line, or why it has none."""
    if "absent" in line:
        return [f"absent: {line['absent']}", "", "", "", "", ""]
    low, median, high = np.percentile(line["ms"], (25, 50, 75))
    return [f"{median:.2f}", f"{low:.2f} to {high:.2f}",
            measured.in_words(median / first if first else None),
            f"{np.median(line['cpu_ms']):.2f}", str(len(line["ms"])),
            f"{line['warm_up']:.1f}"]


def _fact(line, name):
    value = line.get("facts", {}).get(name)
    return "" if value is None else f"{value:.4g}"


def _row(cells):
    return "| " + " | ".join(cells) + " |"


def _disturbances(results):
    busy, slow = results["busy_cores"], results.get("slow_rounds")
    words = "" if busy is None else (
        f"; other processes kept {busy:.1f} cores busy meanwhile")
    if slow:
        count = sum(len(line["ms"]) for line in results["lines"])
        words += (f"; {slow} of {count} times were taken although the machine was "
                  "slower than at its best")
    return words
