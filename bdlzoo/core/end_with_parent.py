"""Ends a process with the one that started it, however that one ends."""

import ctypes
import os
import signal
import sys
import threading
import time

VARIABLE = "BDLZOO_PARENT"  # Process with which a program ends.
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux.
_POLL = 1.0  # Seconds between two looks at the parent.


def end_with_parent(parent=None):
    """Lets this process end when its parent has ended.

    Linux kills it at once. Elsewhere a thread looks for the parent every second.

    Args:
        parent: Integer, id of the parent; `None` takes that in the variable
            `BDLZOO_PARENT`, and does nothing if there is none.
    """
    if parent is None:
        parent = os.environ.get(VARIABLE)
    if parent is None or not hasattr(os, "getppid"):
        return
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)
    # Also for a parent that ended before the call above.
    threading.Thread(target=_watch, args=(int(parent),), daemon=True).start()


def _watch(parent):
    while os.getppid() == parent:
        time.sleep(_POLL)
    os._exit(1)  # Without clean-up, as if it was killed.
