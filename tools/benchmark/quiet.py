"""Waits for calm: machines are shared, and neighbours cannot be seen.

What others do on the same cores, outside of what this system shows, is felt by
products of matrices on all cores: they take longer than at their best.
"""

import time

import numpy as np

TOLERANCE = 1.15  # Of the best burst; calm ones differ by some percent.
_SIZE, _PRODUCTS, _TRIES = 700, 2, 5


class Calm:
    """How fast the machine is now, beside its best so far.

    Args:
        patience: Float, seconds to wait for calm, each time.
        burst: Callable that returns seconds of a piece of work.
        pause: Float, seconds between two looks.
    """

    def __init__(self, patience, burst=None, pause=1.0):
        self.patience = patience
        self.pause = pause
        self._burst = burst or _burst
        self._best = self._burst()

    def here(self):
        """Whether the machine is about as fast as it was at its best."""
        now = self._burst()
        self._best = min(self._best, now)
        return now <= TOLERANCE * self._best

    def wait(self, latest=float("inf")):
        """Waits until it is, or patience ends; returns whether it is.

        Args:
            latest: Float, of `time.monotonic`: no waiting after it.
        """
        end = min(time.monotonic() + self.patience, latest)
        while not self.here():
            if time.monotonic() >= end:
                return False
            time.sleep(self.pause)
        return True


def _burst():
    matrix = np.ones((_SIZE, _SIZE), "float32")
    taken = []
    for _ in range(_TRIES):
        begin = time.perf_counter()
        for _ in range(_PRODUCTS):
            matrix @ matrix
        taken.append(time.perf_counter() - begin)
    return min(taken)
