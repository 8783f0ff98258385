"""Timing of a section: all contenders in turn, at each of its workloads.

The turns are A, B, C, A, B, C, ...: other work on the machine slows all of them
alike. Before each round a contender runs some steps without being timed, because
sleeping threads and cold caches are slow at first.
"""

import time

import numpy as np

from tools.benchmark import contenders, machine, measured, quiet

_TRIES = 3  # Of a round, where the machine does not stay quiet.
# Where a round is so many times as long as the warm steps, none are needed.
_LONG = 10


def run_section(section, repeats, steps, seconds=float("inf"), warm_seconds=0.0,
                patience=0.0):
    """Times all contenders of a section at all of its workloads.

    Args:
        section: `Section`.
        repeats: Integer, rounds.
        steps: Integer, steps of a round, times the share of the workload.
        seconds: Float. A workload starts no warm-up and no round after it.
        warm_seconds: Float, seconds of untimed steps before each round.
        patience: Float, seconds that a round waits for a quiet machine; 0 for none.

    Returns:
        Dictionary, the content of a file of `docs/benchmarks`.
    """
    watched = quiet.QuietMachine(patience) if patience else None
    places = {name: _process_of(name, contender, section)
              for name, contender in section.contenders.items()}
    workers = {places[name]: contender.worker
               for name, contender in section.contenders.items()}
    with contenders.started(workers) as processes:
        running = {name: processes[place] for name, place in places.items()}
        workloads = {}
        for name, workload in section.workloads.items():
            timer = WorkloadTimer(
                section, name, max(1, round(steps * workload.share)), running,
                warm_seconds, watched)
            workloads[name] = timer.run(repeats, seconds)
        versions = {name: getattr(contender, "versions", {})
                    for name, contender in running.items()}
    return {"machine": machine.description(), "versions": versions,
            "repeats": repeats, "warm_seconds": warm_seconds, "patience": patience,
            "workloads": workloads}


class WorkloadTimer:
    """Times the contenders of a section at one workload.

    A line is a contender in one of its modes, with its times.

    Args:
        section: `Section`.
        workload: String, name of the workload.
        steps: Integer, steps of a round.
        running: Dictionary, name to `contenders.Contender` or `contenders.Absent`.
        warm_seconds: Float, seconds of untimed steps before each round.
        watched: `QuietMachine`, or `None` to time without waiting.
    """

    def __init__(self, section, workload, steps, running, warm_seconds=0.0,
                 watched=None):
        self.section = section
        self.workload = workload
        self.steps = steps
        self.running = running
        self.warm_seconds = warm_seconds
        self.watched = watched
        chosen = section.workloads[workload].only or section.contenders
        self.lines = [{"contender": name, "mode": mode, "ms": [], "cpu_ms": []}
                      for name in chosen for mode in section.contenders[name].modes]
        self.slow_rounds = 0
        self._end = float("inf")

    def run(self, repeats, seconds):
        """Warms up and times all lines; returns what was measured.

        Args:
            repeats: Integer, rounds.
            seconds: Float, for the warm-ups, and again for the rounds.
        """
        self._warm_up(seconds)
        self._end = time.monotonic() + seconds
        busy = []
        for done in range(repeats):
            if done and time.monotonic() > self._end:
                break
            busy.append(machine.busy_cores())
            self._time_round(done)
            print(f"{self.workload}: {done + 1} of {repeats} rounds", flush=True)
        return {"steps": self.steps, "lines": self.lines,
                "busy_cores": None if None in busy else float(np.median(busy)),
                "slow_rounds": self.slow_rounds}

    def _warm_up(self, seconds):
        end = time.monotonic() + seconds
        # The first mode of all contenders comes first, in case the time runs out.
        for line in sorted(self.lines, key=self._place_of_mode):
            if time.monotonic() > end:
                line["absent"] = (
                    f"its turn did not come within {seconds / 60:g} minutes")
                continue
            taken = self._ask("warm", line)
            if taken is not None:
                line["warm_up"] = taken["seconds"]
                line["facts"] = taken.get("facts", {})
                self._say(line, f"is warm after {line['warm_up']:.1f} s"
                                f"{measured.facts_in_words(line)}")

    def _place_of_mode(self, line):
        return self.section.contenders[line["contender"]].modes.index(line["mode"])

    def _time_round(self, done):
        for line in self.lines:
            if "absent" in line or done >= measured.TRIALS and _is_hopeless(
                    line, self.lines):
                continue
            taken = self._quiet_run(line)
            if taken is not None:
                line["ms"].append(1000 * taken["seconds"] / self.steps)
                line["cpu_ms"].append(1000 * taken["cpu"] / self.steps)
                line["memory"] = taken["memory"]

    def _quiet_run(self, line):
        """A timed run, again where the machine was not quiet before and after it."""
        if self.watched is None:
            return self._warm_run(line)
        for _ in range(_TRIES):
            quiet_before = self.watched.wait(latest=self._end)
            taken = self._warm_run(line)
            if taken is None or quiet_before and self.watched.is_quiet():
                return taken
            if time.monotonic() > self._end:
                break
        self.slow_rounds += 1
        return taken

    def _warm_run(self, line):
        """A timed run, after untimed ones of `warm_seconds` together."""
        begin = time.monotonic()
        while True:
            passed = time.monotonic() - begin
            taken = self._ask("run", line)
            if (taken is None or passed >= self.warm_seconds
                    or taken["seconds"] > _LONG * self.warm_seconds):
                return taken

    def _ask(self, verb, line):
        """What a contender took; `None` where it failed, and the line says why."""
        contender = self.running[line["contender"]]
        subject = self.section.contenders[line["contender"]].subject
        words = [verb, *([subject] if subject else []), self.workload, line["mode"],
                 self.steps]
        try:
            if isinstance(contender, contenders.Absent):
                raise contender
            return contender.ask(" ".join(map(str, words)))
        except contenders.Absent as absent:
            line["absent"] = str(absent)
            self._say(line, f"is absent: {absent}")
            return None

    def _say(self, line, words):
        print(f"{self.workload}: {line['contender']} {line['mode']} {words}",
              flush=True)


def _process_of(name, contender, section):
    """Name of the process that runs a contender."""
    return contender.worker if section.together and contender.subject else name


def _is_hopeless(line, lines):
    # Its shortest round counts: one disturbance must not end a mode.
    best = measured.best(lines, line["contender"])
    return min(line["ms"]) > measured.HOPELESS * best
