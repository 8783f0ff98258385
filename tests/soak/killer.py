"""Kills training runs at random moments, and compares what they end with."""

import collections
import pathlib
import random
import shutil

from tests.programs import killed_runs

_MOST_KILLS = 3  # Of one run.


class Killer:
    """Trains the methods in turn, each time with some kills.

    Args:
        folder: Folder for the runs.
        seed: Integer.
    """

    def __init__(self, folder, seed):
        self.folder = pathlib.Path(folder)
        self.counts = collections.Counter(kills=0, finished=0, wrong=0)
        self._rng = random.Random(seed)
        self._whole = {}  # Seconds and state of the run without a kill, by method.
        self._next = 0

    def step(self):
        """Trains one run to its end."""
        method = killed_runs.METHODS[self._next % len(killed_runs.METHODS)]
        workdir, self._next = self.folder / f"{self._next}", self._next + 1
        if method not in self._whole:
            whole = self.folder / f"whole-{method}"
            seconds = killed_runs.finish(method, whole)
            self._whole[method] = seconds, killed_runs.state(whole)
        seconds, expected = self._whole[method]
        for number in range(self._rng.randint(1, _MOST_KILLS)):
            self.counts["kills"] += killed_runs.kill_once(
                method, workdir, self._rng.uniform(0.1, 0.9) * seconds, number == 1)
        killed_runs.finish(method, workdir)
        try:
            killed_runs.assert_same(killed_runs.state(workdir), expected)
        except AssertionError:
            self.counts["wrong"] += 1
        self.counts["finished"] += 1
        shutil.rmtree(workdir)
