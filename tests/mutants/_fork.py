"""What a fork does: pytest on a copy of the project, its output in a file.

A file of its own, since a forked process cannot find what `__main__` defines.
"""

import os
import sys

import pytest

LOG = "mutant.log"


def test_copy(copy, arguments):
    """Ends this process, as pytest ends on the project in a folder."""
    log = os.open(os.path.join(copy, LOG), os.O_WRONLY | os.O_CREAT)
    for stream in (1, 2):
        os.dup2(log, stream)
    os.chdir(copy)
    os.environ["PYTHONPATH"] = copy  # Of the processes that tests start.
    sys.path.insert(0, copy)
    # Those of the project itself, by which this function was found.
    for name in [name for name in sys.modules if name.split(".")[0] == "tests"]:
        del sys.modules[name]
    sys.exit(pytest.main(["-qx", *arguments]))
