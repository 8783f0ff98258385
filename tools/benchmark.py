r"""Times training steps against peers and writes them into `docs/benchmarks.md`.

    python -m tools.benchmark --section=flipout

Every library runs in a process of its own, peers that need it in an environment
of their own below `.venv-peers`, made once. They are timed in turn, A, B, C, A,
B, C, ..., so that what else the machine does falls on all of them. The times
are kept beside the page, in `docs/benchmarks/SECTION.json`, and the page is
written anew from all of these files: nothing in it is typed.
"""

import json
import os
import pathlib
import platform
import time

import numpy as np
from absl import flags

from tools import console, contenders
from tools.sections import SECTIONS

ROOT = pathlib.Path(__file__).parents[1]
_SECTION = flags.DEFINE_enum("section", None, [*SECTIONS, "all"], "What to time.")
_REPEATS = flags.DEFINE_integer("repeats", 15, "Rounds.", lower_bound=1)
_STEPS = flags.DEFINE_integer("steps", 20, "Steps of a round.", lower_bound=1)
_OUTPUT = flags.DEFINE_string(
    "output", str(ROOT / "docs"), "Folder of the page.",
    allow_override=True)  # `tools.reproduce` has it too; tests import both.
flags.mark_flags_as_required(["section"])
_TRIALS = 2  # Rounds after which a mode may be given up ...
_HOPELESS = 2.0  # ... when it takes so many times what the best mode takes.
_BUSY = 0.1  # Share of the cores in the hands of others that spoils a verdict.


def main(argv):
    del argv
    names = list(SECTIONS) if _SECTION.value == "all" else [_SECTION.value]
    output = pathlib.Path(_OUTPUT.value)
    (output / "benchmarks").mkdir(parents=True, exist_ok=True)
    with console.explained():
        for name in names:
            results = run_section(SECTIONS[name], _REPEATS.value, _STEPS.value)
            (output / "benchmarks" / f"{name}.json").write_text(
                json.dumps(results, indent=2) + "\n")
            (output / "benchmarks.md").write_text(page(output / "benchmarks"))
    print(f"Written: {output / 'benchmarks.md'}")


def run_section(section, repeats, steps):
    """Times all contenders at all workloads; returns what was measured."""
    with contenders.started({name: contender.worker for name, contender
                             in section.contenders.items()}) as running:
        workloads = {}
        for name, workload in section.workloads.items():
            count = max(1, round(steps * workload.share))
            lines = [{"contender": contender, "mode": mode, "ms": [], "cpu_ms": []}
                     for contender in section.contenders
                     for mode in section.contenders[contender].modes]
            load = _time(name, count, lines, running, repeats)
            workloads[name] = {"steps": count, "load": load, "lines": lines}
        versions = {name: getattr(contender, "versions", {})
                    for name, contender in running.items()}
    return {"machine": _machine(), "versions": versions, "repeats": repeats,
            "workloads": workloads}


def _time(workload, steps, lines, running, repeats):
    """Fills the lines of a workload; returns how busy the machine was."""
    for line in lines:
        taken = _ask("warm", workload, steps, line, running)
        if taken is not None:
            line["warm_up"] = taken["seconds"]
            line["facts"] = taken.get("facts", {})
            print(f"{workload}: {line['contender']} {line['mode']} is warm after "
                  f"{line['warm_up']:.1f} s{_told(line)}", flush=True)
    load = []
    for done in range(repeats):
        load.append(_busy_cores())
        for line in lines:
            if "absent" in line or done >= _TRIALS and _hopeless(line, lines):
                continue
            taken = _ask("run", workload, steps, line, running)
            if taken is not None:
                line["ms"].append(1000 * taken["seconds"] / steps)
                line["cpu_ms"].append(1000 * taken["cpu"] / steps)
        print(f"{workload}: {done + 1} of {repeats} rounds", flush=True)
    return None if None in load else float(np.median(load))


def _told(line):
    """What a contender has found, in words."""
    return "".join(f"; {name} {value:.4g}"
                   for name, value in line.get("facts", {}).items())


def _ask(verb, workload, steps, line, running):
    """Time taken; `None` for a contender that cannot, and the line says why."""
    contender = running[line["contender"]]
    try:
        if isinstance(contender, contenders.Absent):
            raise contender
        return contender.ask(f"{verb} {workload} {line['mode']} {steps}")
    except contenders.Absent as absent:
        line["absent"] = str(absent)
        print(f"{workload}: {line['contender']} {line['mode']} is absent: {absent}",
              flush=True)
        return None


def _hopeless(line, lines):
    # By its luckiest round: one disturbance must not end a mode.
    return min(line["ms"]) > _HOPELESS * _best(lines, line["contender"])


def _best(lines, contender):
    """Median of the contender's best mode; `None` where it is absent."""
    medians = [np.median(line["ms"]) for line in lines
               if line["contender"] == contender and "absent" not in line]
    return min(medians, default=None)


def _busy_cores(seconds=0.2):
    """Cores that others use while all contenders wait; `None` if unknown."""
    stat = pathlib.Path("/proc/stat")
    if not stat.exists():
        return None

    def idle():
        fields = stat.read_text().split("\n", 1)[0].split()[1:]
        return (int(fields[3]) + int(fields[4])) / os.sysconf("SC_CLK_TCK")

    begin, clock = idle(), time.perf_counter()
    time.sleep(seconds)
    passed = time.perf_counter() - clock
    return max(0.0, os.cpu_count() - (idle() - begin) / passed)


def _machine():
    info = pathlib.Path("/proc/cpuinfo")
    models = [line.split(":", 1)[1].strip() for line in
              (info.read_text().splitlines() if info.exists() else ())
              if line.startswith("model name")]
    return {"cpu": models[0] if models else platform.processor(),
            "cores": os.cpu_count(), "system": platform.system(),
            "python": platform.python_version()}


def page(folder):
    """The page, from the times of all sections that were run."""
    lines = ["# Benchmarks", "", "Written by `python -m tools.benchmark`."]
    for name, section in SECTIONS.items():
        path = folder / f"{name}.json"
        if path.exists():
            lines += _section(name, section, json.loads(path.read_text()))
    return "\n".join(lines) + "\n"


def _section(name, section, results):
    machine = results["machine"]
    versions = "; ".join(
        f"{section.contenders[who].label}: "
        + ", ".join(f"{package} {number}" for package, number in found.items())
        for who, found in results["versions"].items() if found)
    lines = [
        "", f"## {section.title}", "", section.note, "",
        "Median and interquartile range over interleaved rounds, one process a "
        "contender, the others waiting; warm-up (tracing, compiling, first steps) "
        "is apart. Ratios are of medians, to the best mode of ours; CPU ms is the "
        "time of all cores together. A mode was "
        f"given up after {_TRIALS} rounds when it took {_HOPELESS:g} times what "
        "the best mode of its contender took.", "",
        f"    python -m tools.benchmark --section={name}", "",
        f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}, Python "
        f"{machine['python']}. {versions}."]
    for key, workload in section.workloads.items():
        lines += _workload(workload, section, results["workloads"][key])
    lines += ["", "### Targets", "", "| ours over | at | at most | measured | |",
              "|---|---|---|---|---|"]
    return lines + [_target(target, section, results) for target in section.targets
                    ] + [_agreement(agreement, section, results)
                         for agreement in section.agreements]


def _workload(workload, section, results):
    ours = _best(results["lines"], next(iter(section.contenders)))
    lines = ["", f"### {workload.title}", "",
             f"{results['steps']} steps a round" + _others(results["load"]), "",
             "| | mode | ms a step | interquartile range | ratio to ours | CPU ms "
             "| rounds | warm-up, s |", "|---|---|---|---|---|---|---|---|"]
    for line in results["lines"]:
        label = section.contenders[line["contender"]].label + _told(line)
        if "absent" in line:
            lines.append(f"| {label} | {line['mode']} | absent: {line['absent']} "
                         "| | | | | |")
            continue
        low, median, high = np.percentile(line["ms"], (25, 50, 75))
        ratio = f"{median / ours:.2f}" if ours else ""
        lines.append(f"| {label} | {line['mode']} | {median:.2f} | {low:.2f} to "
                     f"{high:.2f} | {ratio} | {np.median(line['cpu_ms']):.2f} "
                     f"| {len(line['ms'])} | {line['warm_up']:.1f} |")
    return lines


def _others(load):
    if load is None:
        return "."
    return f"; other processes kept {load:.1f} cores busy meanwhile."


def _target(target, section, results):
    workload = results["workloads"][target.workload]
    lines = workload["lines"]
    ours = _best(lines, next(iter(section.contenders)))
    other = _best(lines, target.other)
    bound = f"{target.limit:g}"
    if target.goal is not None:
        bound += f" (goal {target.goal:g})"
    if ours is None or other is None:
        measured, verdict = "", "not measured"
    else:
        measured = f"{ours / other:.2f}"
        verdict = "met" if ours <= target.limit * other else "missed"
        if target.goal is not None and verdict == "met":
            met = ours <= target.goal * other
            verdict += ", goal too" if met else ", goal missed"
        if (workload["load"] or 0) > _BUSY * results["machine"]["cores"]:
            verdict += " (unsettled: the machine was busy)"
    return (f"| {section.contenders[target.other].label} | {target.workload} "
            f"| {bound} | {measured} | {verdict} |")


def _agreement(agreement, section, results):
    lines = results["workloads"][agreement.workload]["lines"]
    found = [[line["facts"][agreement.fact] for line in lines
              if line["contender"] == name and agreement.fact in line.get("facts", {})]
             for name in (next(iter(section.contenders)), agreement.other)]
    measured, verdict = "", "not measured"
    if all(found):
        gap = max(abs(ours - other) for ours in found[0] for other in found[1])
        measured = f"{gap:.4f}"
        # A difference of decimals is not exact.
        verdict = "met" if gap <= agreement.limit + 1e-9 else "missed"
    return (f"| {section.contenders[agreement.other].label} | {agreement.workload}: "
            f"{agreement.fact}, difference | {agreement.limit:g} | {measured} "
            f"| {verdict} |")


if __name__ == "__main__":
    console.run(main)
