"""A disk that is full: one sentence, nothing lost, and the run goes on later."""

import subprocess

import numpy as np
import pytest

from bdlzoo import runs
from tests.programs import processes

FLAGS = ["--config=digits/mc_dropout.py:smoke", "--config.epochs=3"]


@pytest.fixture
def small_disk(tmp_path):
    """A disk in memory with little room; skipped where none can be made."""
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=60k", "tmpfs", disk],
                          capture_output=True)
    if made.returncode:
        pytest.skip("needs the right to mount a disk in memory")
    yield disk
    subprocess.run(["umount", disk], check=True)


def _explained(code, err):
    assert code == 1 and "Traceback" not in err, err
    told = [line for line in err.splitlines() if "Expected room on the disk" in line]
    assert len(told) == 1 and "free bytes" in told[0], err


@pytest.mark.slow
def test_training_on_a_full_disk_is_explained_and_goes_on(small_disk, tmp_path):
    code, _, err = processes.run("train", *FLAGS, f"--workdir={small_disk}/a",
                                 cwd=tmp_path)
    _explained(code, err)
    subprocess.run(["mount", "-o", "remount,size=100m", small_disk], check=True)
    for name in (small_disk / "a", tmp_path / "whole"):
        code, _, err = processes.run("train", *FLAGS, f"--workdir={name}", cwd=tmp_path)
        assert code == 0, err
    first, second = (runs.Run.reopen(name).model
                     for name in (small_disk / "a", tmp_path / "whole"))
    for a, b in zip(first.weights, second.weights, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.slow
def test_export_to_a_full_disk_is_explained_and_leaves_nothing(
        small_disk, finished, tmp_path):
    code, _, err = processes.run("export", f"--workdir={finished}",
                                 f"--output={small_disk}/served", cwd=tmp_path)
    _explained(code, err)
    assert not list((small_disk / "served").iterdir())
