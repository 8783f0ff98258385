"""A machine with other users, and the moments when its cores are free.

Processes of others on the same cores are not always visible in this system. They
are measured instead: products of matrices on all cores take longer than at best.
"""

import time

import numpy as np

TOLERANCE = 1.15  # Over the best time. Free cores differ by some percent.
_SIZE, _PRODUCTS, _TRIES = 700, 2, 5


class QuietMachine:
    """Compares the speed of the machine now with its best speed so far.

    Args:
        patience: Float, seconds that one `wait` may take.
        timer: Callable that returns the seconds of a piece of work.
        pause: Float, seconds between two measurements.
    """

    def __init__(self, patience, timer=None, pause=1.0):
        self.patience = patience
        self.pause = pause
        self._timer = timer or product_seconds
        self._best = self._timer()

    def is_quiet(self):
        """Whether the machine is about as fast as at its best."""
        now = self._timer()
        self._best = min(self._best, now)
        return now <= TOLERANCE * self._best

    def wait(self, latest=float("inf")):
        """Waits until the machine is quiet, for at most `patience` seconds.

        Args:
            latest: Float, a time of `time.monotonic` after which it does not wait.

        Returns:
            Whether the machine is quiet.
        """
        end = min(time.monotonic() + self.patience, latest)
        while not self.is_quiet():
            if time.monotonic() >= end:
                return False
            time.sleep(self.pause)
        return True


def product_seconds():
    """Seconds of products of matrices on all cores, the best of some tries."""
    matrix = np.ones((_SIZE, _SIZE), "float32")
    taken = []
    for _ in range(_TRIES):
        begin = time.perf_counter()
        for _ in range(_PRODUCTS):
            matrix @ matrix
        taken.append(time.perf_counter() - begin)
    return min(taken)
