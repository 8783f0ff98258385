"""The page of the benchmarks: everything in it is read from what was measured."""

import numpy as np

from tools.benchmark import growth, limits, measured
from tools.benchmark import quiet as calm


def page(sections, found):
    """The page, from the times of all sections that were run.

    Args:
        sections: Dictionary of `Section`.
        found: Dictionary, what `tools.benchmark` has measured of some of them.
    """
    lines = ["# Benchmarks", "", "Written by `python -m tools.benchmark`."]
    for name, section in sections.items():
        if name in found:
            lines += _section(name, section, found[name])
    return "\n".join(lines) + "\n"


def _section(name, section, results):
    machine = results["machine"]
    lines = [
        "", f"## {section.title}", "", section.note, "",
        "Median and interquartile range over interleaved rounds, one process a "
        "contender, the others waiting; warm-up (tracing, compiling, first steps) "
        f"is apart{_conditions(results)}. Ratios are of medians, to the best mode of "
        "the first; CPU ms is the time of all cores together. A mode was "
        f"given up after {measured.TRIALS} rounds when it took {measured.HOPELESS:g} "
        "times what the best mode of its contender took.", "",
        f"    python -m tools.benchmark --section={name}", "",
        f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}, Python "
        f"{machine['python']}. {_versions(section, results)}.", "",
        f"![{section.title}](figures/benchmarks_{name}.png)"]
    for key, workload in section.workloads.items():
        lines += _workload(workload, section, results["workloads"][key])
        if section.limits:
            lines += limits.table(section, key, results)
    if section.growth:
        lines += growth.table(section, results)
    if section.targets or section.agreements:
        lines += ["", "### Targets", "", "| | over | at | at most | measured | |",
                  "|---|---|---|---|---|---|"]
    return lines + [_target(target, section, results) for target in section.targets
                    ] + [_agreement(agreement, section, results)
                         for agreement in section.agreements]


def _conditions(results):
    words, seconds = "", results.get("awake")
    if seconds:
        words += (f", and so are {seconds:g} s of the same steps before each round, in "
                  "which threads and caches wake up")
    if results.get("patience"):
        words += (". A round waits until products of matrices on all cores take at "
                  f"most {calm.TOLERANCE:g} of their best time, and is timed again "
                  "where they do not after it")
    return words


def _versions(section, results):
    """Who ran with what; contenders with the same packages say it once."""
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
    memory = section.growth is not None
    lines = ["", f"### {workload.title}", "",
             f"{results['steps']} steps a round" + _others(results), "",
             "| | mode | ms a step | interquartile range | ratio to the first | CPU ms "
             "| rounds | warm-up, s |" + (" peak MB |" if memory else ""),
             "|---|---|---|---|---|---|---|---|" + ("---|" if memory else "")]
    for line in results["lines"]:
        label = section.contenders[line["contender"]].label + measured.told(line)
        if "absent" in line:
            lines.append(f"| {label} | {line['mode']} | absent: {line['absent']} "
                         "| | | | | |" + (" |" if memory else ""))
            continue
        low, median, high = np.percentile(line["ms"], (25, 50, 75))
        ratio = f"{median / first:.2f}" if first else ""
        peak = "" if line.get("memory") is None else f"{line['memory']:.0f}"
        lines.append(f"| {label} | {line['mode']} | {median:.2f} | {low:.2f} to "
                     f"{high:.2f} | {ratio} | {np.median(line['cpu_ms']):.2f} "
                     f"| {len(line['ms'])} | {line['warm_up']:.1f} |"
                     + (f" {peak} |" if memory else ""))
    return lines


def _others(results):
    load, restless = results["load"], results.get("restless")
    words = "" if load is None else (
        f"; other processes kept {load:.1f} cores busy meanwhile")
    if restless:
        count = sum(len(line["ms"]) for line in results["lines"])
        words += (f"; {restless} of {count} times were taken although the machine was "
                  "slower than at its best")
    return words + "."


def _target(target, section, results):
    lines = results["workloads"][target.workload]["lines"]
    ours = target.ours or next(iter(section.contenders))
    names = (ours, target.other, *(target.rivals or ()))
    times = [measured.best(lines, name) for name in names]
    labels = [section.contenders[name].label for name in names]
    bound, words = f"{target.limit:g}", ""
    if target.goal is not None:
        bound += f" (goal {target.goal:g})"
    if target.rivals:
        labels[1] += f", and that over {labels[2]} over {labels[3]}"
    met = ratio = None
    if None not in times:
        ratio = times[0] / times[1]
        if target.rivals:
            ratio /= times[2] / times[3]
        met = ratio <= target.limit
        words = f"{ratio:.2f}"
    verdict = measured.verdict(met, [target.workload], results)
    if met and target.goal is not None:
        reached = "goal too" if ratio <= target.goal else "goal missed"
        verdict = verdict.replace("met", f"met, {reached}", 1)
    return (f"| {labels[0]} | {labels[1]} | {target.workload} | {bound} | {words} "
            f"| {verdict} |")


def _agreement(agreement, section, results):
    lines = results["workloads"][agreement.workload]["lines"]
    first = next(iter(section.contenders))
    found = [[line["facts"][agreement.fact] for line in lines
              if line["contender"] == name and agreement.fact in line.get("facts", {})]
             for name in (first, agreement.other)]
    words, met = "", None
    if all(found):
        gap = max(abs(ours - other) for ours in found[0] for other in found[1])
        words = f"{gap:.4f}"
        met = gap <= agreement.limit + 1e-9  # A difference of decimals is not exact.
    verdict = {None: "not measured", True: "met", False: "missed"}[met]
    return (f"| {section.contenders[first].label} | "
            f"{section.contenders[agreement.other].label} | {agreement.workload}: "
            f"{agreement.fact}, difference | {agreement.limit:g} | {words} "
            f"| {verdict} |")
