r"""Times the zoo beside its peers and writes that into `docs/benchmarks.md`.

    python -m tools.benchmark --section=flipout
    python -m tools.benchmark --section=missing     what was not timed yet

Every library runs in a process of its own, peers that need it in an environment
of their own below `.venv-peers`, made once. They are timed in turn, A, B, C, A,
B, C, ..., so that what else the machine does falls on all of them. The times
are kept beside the page, in `docs/benchmarks/SECTION.json`, and the page and its
figures are made anew from all of these files: nothing in it is typed.
"""

import json
import os
import pathlib
import platform
import time

import numpy as np
from absl import flags

from bdlzoo.programs import console
from tools.benchmark import (
    charts,
    contenders,
    measured,
)
from tools.benchmark import (
    page as benchmark_page,
)
from tools.benchmark import (
    quiet as calm,
)
from tools.benchmark.sections import SECTIONS

ROOT = pathlib.Path(__file__).parents[2]
_SECTION = flags.DEFINE_enum(
    "section", None, [*SECTIONS, "all", "missing", "none"],
    "What to time; `missing` is what was not timed yet, `none` writes the page only.")
_REPEATS = flags.DEFINE_integer("repeats", 15, "Rounds.", lower_bound=1)
_STEPS = flags.DEFINE_integer("steps", 20, "Steps of a round.", lower_bound=1)
_MINUTES = flags.DEFINE_float(
    "minutes", 15.0, "After so many minutes a workload has no new warm-up, or no new "
    "round.", lower_bound=0.0)
_PATIENCE = flags.DEFINE_float(
    "patience", 30.0, "Seconds that a round waits, within --minutes, for "
    "neighbours on the same cores to be quiet; 0 does not look.", lower_bound=0.0)
_OUTPUT = flags.DEFINE_string(
    "output", str(ROOT / "docs"), "Folder of the page.",
    allow_override=True)  # `tools.reproduce` has it too; tests import both.
flags.mark_flags_as_required(["section"])
_AWAKE = 0.3  # Seconds, more than what was seen to matter.
_TRIES = 3  # Of a round, where calm ends in it.


def main(argv):
    del argv
    output = pathlib.Path(_OUTPUT.value)
    (output / "benchmarks").mkdir(parents=True, exist_ok=True)
    with console.explained():
        for name in chosen(_SECTION.value, output):
            results = run_section(SECTIONS[name], _REPEATS.value, _STEPS.value,
                                  60 * _MINUTES.value, _AWAKE, _PATIENCE.value)
            (output / "benchmarks" / f"{name}.json").write_text(
                json.dumps(results, indent=2) + "\n")
            write(output)
        write(output)
    print(f"Written: {output / 'benchmarks.md'}")


def chosen(section, output):
    """Names of the sections to time."""
    if section == "missing":
        return [name for name in SECTIONS
                if not (output / "benchmarks" / f"{name}.json").exists()]
    return {"all": list(SECTIONS), "none": []}.get(section, [section])


def write(output):
    """Makes the page and its figures from all times that are there."""
    files = {name: output / "benchmarks" / f"{name}.json" for name in SECTIONS}
    found = {name: json.loads(file.read_text()) for name, file in files.items()
             if file.exists()}
    (output / "figures").mkdir(exist_ok=True)
    for name, results in found.items():
        charts.save(SECTIONS[name], results,
                    output / "figures" / f"benchmarks_{name}.png")
    (output / "benchmarks.md").write_text(benchmark_page.page(SECTIONS, found))


def run_section(section, repeats, steps, seconds=float("inf"), awake=0.0,
                patience=0.0):
    """Times all contenders at all workloads; returns what was measured.

    Args:
        section: `Section`.
        repeats: Integer, rounds.
        steps: Integer, steps of a round where a workload has no share of its own.
        seconds: Float, after which a workload has no new warm-up, or no new round.
        awake: Float, seconds that a contender works before its round is timed:
            threads that slept, and caches that others have filled, are slow.
        patience: Float, seconds to wait for a calm machine.
    """
    weather = calm.Calm(patience) if patience else None
    places = {name: _place(name, contender, section)
              for name, contender in section.contenders.items()}
    with contenders.started({places[name]: contender.worker for name, contender
                             in section.contenders.items()}) as processes:
        running = {name: processes[place] for name, place in places.items()}
        workloads = {}
        for name, workload in section.workloads.items():
            count = max(1, round(steps * workload.share))
            lines = [{"contender": contender, "mode": mode, "ms": [], "cpu_ms": []}
                     for contender in workload.only or section.contenders
                     for mode in section.contenders[contender].modes]
            seen = _time(section, name, count, lines, running, repeats, seconds,
                         awake, weather)
            workloads[name] = {"steps": count, "lines": lines, **seen}
        versions = {name: getattr(contender, "versions", {})
                    for name, contender in running.items()}
    return {"machine": _machine(), "versions": versions, "repeats": repeats,
            "awake": awake, "patience": patience, "workloads": workloads}


def _place(name, contender, section):
    """Name of the process of a contender."""
    return contender.worker if section.together and contender.subject else name


def _time(section, workload, steps, lines, running, repeats, seconds, awake, weather):
    """Fills the lines of a workload; returns what the machine did besides."""

    def ask(verb, line):
        subject = section.contenders[line["contender"]].subject
        words = [verb, *([subject] if subject else []), workload, line["mode"], steps]
        return _ask(running[line["contender"]], words, workload, line)

    def awake_round(line):
        begin = time.monotonic()
        while True:
            waking = time.monotonic() - begin
            taken = ask("run", line)
            if taken is None or waking >= awake or taken["seconds"] > 10 * awake:
                return taken  # In a long round, waking up is no matter.

    def calm_round(line):
        if weather is None:
            return awake_round(line)
        for _ in range(_TRIES):
            calm_before = weather.wait(latest=end)
            taken = awake_round(line)
            if taken is None or calm_before and weather.here():
                return taken
            if time.monotonic() > end:
                break
        restless.append(line)
        return taken

    def place(line):
        return section.contenders[line["contender"]].modes.index(line["mode"])

    end = time.monotonic() + seconds
    # By mode: where time runs out, all contenders have their first one.
    for line in sorted(lines, key=place):
        if time.monotonic() > end:
            line["absent"] = f"its turn did not come within {seconds / 60:g} minutes"
            continue
        taken = ask("warm", line)
        if taken is not None:
            line["warm_up"] = taken["seconds"]
            line["facts"] = taken.get("facts", {})
            print(f"{workload}: {line['contender']} {line['mode']} is warm after "
                  f"{line['warm_up']:.1f} s{measured.told(line)}", flush=True)
    load, restless, end = [], [], time.monotonic() + seconds
    for done in range(repeats):
        if done and time.monotonic() > end:
            break
        load.append(_busy_cores())
        for line in lines:
            if "absent" in line or done >= measured.TRIALS and _hopeless(
                    line, lines):
                continue
            taken = calm_round(line)
            if taken is not None:
                line["ms"].append(1000 * taken["seconds"] / steps)
                line["cpu_ms"].append(1000 * taken["cpu"] / steps)
                line["memory"] = taken["memory"]
        print(f"{workload}: {done + 1} of {repeats} rounds", flush=True)
    return {"load": None if None in load else float(np.median(load)),
            "restless": len(restless)}


def _ask(contender, words, workload, line):
    """What a contender took; `None` where it cannot, and the line says why."""
    try:
        if isinstance(contender, contenders.Absent):
            raise contender
        return contender.ask(" ".join(map(str, words)))
    except contenders.Absent as absent:
        line["absent"] = str(absent)
        print(f"{workload}: {line['contender']} {line['mode']} is absent: {absent}",
              flush=True)
        return None


def _hopeless(line, lines):
    # By its luckiest round: one disturbance must not end a mode.
    best = measured.best(lines, line["contender"])
    return min(line["ms"]) > measured.HOPELESS * best


def _busy_cores(seconds=0.2):
    """Cores that others use while all contenders wait; `None` if unknown."""
    stat = pathlib.Path("/proc/stat")
    if not stat.exists():
        return None

    def idle():
        fields = stat.read_text().split("\n", 1)[0].split()[1:]
        return (int(fields[3]) + int(fields[4])) / os.sysconf("SC_CLK_TCK")

    begin, own, clock = idle(), time.process_time(), time.perf_counter()
    time.sleep(seconds)
    passed = time.perf_counter() - clock
    own = time.process_time() - own  # Threads that spin after a product of matrices.
    return max(0.0, os.cpu_count() - (idle() - begin + own) / passed)


def _machine():
    info = pathlib.Path("/proc/cpuinfo")
    models = [line.split(":", 1)[1].strip() for line in
              (info.read_text().splitlines() if info.exists() else ())
              if line.startswith("model name")]
    return {"cpu": models[0] if models else platform.processor(),
            "cores": os.cpu_count(), "system": platform.system(),
            "python": platform.python_version()}


if __name__ == "__main__":
    console.run(main)
