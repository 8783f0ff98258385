"""A process ends with the one that started it."""

import os
import signal
import subprocess
import sys
import time

import pytest

from bdlzoo.core import end_with_parent

# A parent that is killed, and its child, which has the module without the package.
CHILD = """
import importlib.util, sys, time
spec = importlib.util.spec_from_file_location("end", sys.argv[1])
end = importlib.util.module_from_spec(spec)
spec.loader.exec_module(end)
end._POLL = 0.05
if sys.argv[2] == "poll":
    end.sys = type(sys)("elsewhere")
    end.sys.platform = "elsewhere"
end.end_with_parent()
print("ready", flush=True)
time.sleep(60)
"""
PARENT = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", *sys.argv[1:]], env={
    **os.environ, "BDLZOO_PARENT": str(os.getpid())}, stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(60)
"""


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("way", ["signal", "poll"])
def test_a_killed_parent_takes_its_child_along(way):
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, CHILD, end_with_parent.__file__, way],
        text=True, stdout=subprocess.PIPE)
    child = int(parent.stdout.readline())
    assert _runs(child)
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    deadline = time.monotonic() + 20
    while _runs(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _runs(child)


def test_a_process_without_such_a_parent_goes_on(monkeypatch):
    monkeypatch.delenv(end_with_parent.VARIABLE, raising=False)
    monkeypatch.setattr(os, "_exit", lambda code: pytest.fail("ended"))
    end_with_parent.end_with_parent()
