"""Description of the machine, and the cores that other processes use."""

import os
import pathlib
import platform
import time


def description():
    """Processor, cores, system and Python version, for the pages."""
    info = pathlib.Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else ()
    models = [line.split(":", 1)[1].strip() for line in lines
              if line.startswith("model name")]
    return {"cpu": models[0] if models else platform.processor(),
            "cores": os.cpu_count(), "system": platform.system(),
            "python": platform.python_version()}


def busy_cores(seconds=0.2):
    """Cores that other processes use while all contenders wait; `None` if unknown.

    Args:
        seconds: Float, how long to measure.
    """
    begin = _idle_seconds()
    if begin is None:
        return None
    own, clock = time.process_time(), time.perf_counter()
    time.sleep(seconds)
    passed = time.perf_counter() - clock
    own = time.process_time() - own  # Threads that spin after a product of matrices.
    return max(0.0, os.cpu_count() - (_idle_seconds() - begin + own) / passed)


def _idle_seconds():
    """Seconds that all cores together were idle since the start; Linux only."""
    stat = pathlib.Path("/proc/stat")
    if not stat.exists():
        return None
    fields = stat.read_text().split("\n", 1)[0].split()[1:]
    return (int(fields[3]) + int(fields[4])) / os.sysconf("SC_CLK_TCK")
