"""The program of label curves, as a user starts it."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FLAGS = ("--config.data.limit=200", "--workdir=a", "--acquisitions=random,bald",
         "--batch=5", "--steps=8", "--candidates=50")


def _start(*flags, cwd, config="digits/mc_dropout.py:smoke"):
    return subprocess.Popen(
        [sys.executable, "-m", "bdlzoo.programs", "acquire", f"--config={config}",
         *FLAGS, *flags],
        cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)})


def _run(*flags, **options):
    process = _start(*flags, **options)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


@pytest.mark.slow
def test_killed_curves_end_as_those_that_were_not(tmp_path):
    killed = _start("--rounds=3", cwd=tmp_path)
    last = tmp_path / "a/bald-0/state.json"
    deadline = time.monotonic() + 240
    while not last.exists() and time.monotonic() < deadline:
        time.sleep(0.001)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert last.exists() and not (tmp_path / "a/curves.json").exists()
    for name in ("a", "whole"):
        code, out, err = _run("--rounds=3", f"--workdir={name}", cwd=tmp_path)
        assert code == 0, err
    assert (tmp_path / "a/label_curves.png").read_bytes().startswith(b"\x89PNG")
    first, second = ((tmp_path / name / "curves.json").read_text()
                     for name in ("a", "whole"))
    assert first == second
    curves = json.loads(first)
    assert list(curves) == ["random", "bald"]
    assert curves["bald"][0]["labels"] == [20, 25, 30, 35]
    table = {line.split()[0]: line.split()[1:] for line in out.splitlines()
             if line.startswith("  ")}
    assert table["labels"] == ["20", "25", "30", "35"]
    assert float(table["bald"][-1]) == pytest.approx(
        curves["bald"][0]["accuracy"][-1], abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("flag, config, words", [
    ("--rounds=1", "diabetes/mc_dropout.py", "not for regression")])
def test_wrong_flags_end_in_a_few_lines(flag, config, words, tmp_path):
    code, _, err = _run(flag, config=config, cwd=tmp_path)
    assert code == 1
    assert words in err, err
    assert "Traceback" not in err, err
    assert not (tmp_path / "a").exists()


@pytest.mark.slow
def test_folder_of_other_curves_is_refused(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/acquire.json").write_text(json.dumps({"batch": 6}))
    code, _, err = _run(cwd=tmp_path)
    assert code == 1 and "differs in" in err and "batch" in err, err
