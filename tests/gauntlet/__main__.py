"""Runs one step of some cells: `python -m tests.gauntlet STEP FOLDER...`."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

if __name__ == "__main__":
    if sys.argv[1] == "serve":
        sys.modules["bdlzoo"] = None  # Any import of it now fails.
    from tests.gauntlet import steps

    steps.run(sys.argv[1], sys.argv[2:])
