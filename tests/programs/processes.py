"""Starts programs as a user does: in processes of their own."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]


def start(*words, cwd, **environment):
    """Starts `bdlzoo WORDS`, of this checkout."""
    return subprocess.Popen(
        [sys.executable, "-m", "bdlzoo.programs", *words], cwd=cwd, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment})


def run(*words, cwd, **environment):
    """Runs `bdlzoo WORDS`; returns its exit code, output and errors."""
    process = start(*words, cwd=cwd, **environment)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err
