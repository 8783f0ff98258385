"""Workers that tests of the benchmarks can watch."""

import sys

import pytest

from tools.benchmark import contenders

# Answers as a worker does, and writes down when it was asked.
FAKE = """
import sys, time
from tools.benchmark.workers import protocol
name, log = sys.argv[1:]
def prepare(*words):
    *subject, workload, mode, steps = words
    def run():
        print("a library prints")
        with open(log, "a") as file:
            print(name, *words, file=file)
        if name == "dies":
            sys.exit("MemoryError: no room")
        if mode == "fails":
            raise ValueError("not in this mode")
        time.sleep(0.1 if mode == "slow" else 0.01)
    if name == "tells":
        run.facts = lambda: {"share": 0.25}
    return run
if name == "late":
    raise ImportError("no such library")
protocol.serve(prepare, "numpy")
"""


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Replaces the workers; returns the file where they write."""
    log = tmp_path / "asked"
    monkeypatch.setattr(contenders, "command", lambda worker: [
        sys.executable, "-c", FAKE, worker, str(log)])
    return log
