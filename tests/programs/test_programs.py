"""The programs, as a user starts them: in processes of their own."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import keras
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
SMOKE = f"--config={ROOT}/configs/digits/mc_dropout.py:smoke"


def _start(tool, *flags, cwd, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", f"tools.{tool}", *flags], cwd=cwd, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment})


def _run(tool, *flags, cwd, **environment):
    process = _start(tool, *flags, cwd=cwd, **environment)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def test_train_evaluate_export_from_another_folder(tmp_path):
    code, out, err = _run("train", SMOKE, "--workdir=a", "--tensorboard",
                          cwd=tmp_path)
    assert code == 0, err
    assert "accuracy" in out and (tmp_path / "a/model.keras").exists()
    assert any((tmp_path / "a/tensorboard").rglob("events*"))
    code, out, err = _run("evaluate", "--workdir=a", "--shift=20", cwd=tmp_path)
    assert code == 0, err
    assert "auroc_uniform" in out and (tmp_path / "a/plots/most.png").exists()
    assert (tmp_path / "a/report.html").exists() and "report.html" in out
    code, out, err = _run("export", "--workdir=a", "--output=served", cwd=tmp_path)
    assert code == 0, err
    assert (tmp_path / "served/1/saved_model.pb").exists() and "served/1" in out


@pytest.mark.parametrize("flags, words", [
    (["--config.nonsense=1"], "nonsense"),
    pytest.param(["--config.data.name=digist"], "digits", marks=pytest.mark.slow),
    pytest.param(["--config.method.type=MCDropuot"], "MCDropout",
                 marks=pytest.mark.slow),
    pytest.param(["--config.data.name=uci/concrete", "--config.network.type=MLP"],
                 "BDLZOO_DATA_DIR", marks=pytest.mark.slow)])
def test_wrong_flags_end_in_a_few_lines_and_no_folder(flags, words, tmp_path):
    code, out, err = _run("train", SMOKE, "--workdir=a", *flags, cwd=tmp_path,
                          BDLZOO_DATA_DIR="")
    assert code != 0
    assert words in err, err
    assert "Traceback" not in err, err
    assert not (tmp_path / "a").exists()


@pytest.mark.slow
def test_killed_run_ends_as_one_that_was_not(tmp_path):
    flags = [SMOKE, "--config.epochs=6", "--config.data.limit=512"]
    killed = _start("train", *flags, "--workdir=killed", cwd=tmp_path)
    last = tmp_path / "killed/checkpoints/epoch-00002.weights.h5"
    deadline = time.monotonic() + 120
    while not last.exists() and time.monotonic() < deadline:
        time.sleep(0.001)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert last.exists() and not (tmp_path / "killed/model.keras").exists()
    for name in ("killed", "whole"):
        code, out, err = _run("train", *flags, f"--workdir={name}", cwd=tmp_path)
        assert code == 0, err
        if name == "killed":
            assert "Epoch 2/6" not in out and "Epoch 6/6" in out
    first, second = (keras.saving.load_model(tmp_path / name / "model.keras")
                     for name in ("killed", "whole"))
    for a, b in zip(first.weights, second.weights, strict=True):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(first.optimizer.variables, second.optimizer.variables,
                    strict=True):
        np.testing.assert_array_equal(a, b)
    assert (tmp_path / "killed/history.csv").read_text() == (
        tmp_path / "whole/history.csv").read_text()


def test_import_is_light():
    code = """
import sys, time
import tensorflow, tensorflow_probability.python.distributions
before = set(sys.modules)
start = time.process_time()  # Of this process: others may be busy.
import bdlzoo
cost = time.process_time() - start
heavy = ("tensorflow_datasets", "matplotlib", "sklearn", "jinja2")
new = {name.split(".")[0] for name in set(sys.modules) - before}
print(cost, new.intersection(heavy) or "light")
"""
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True,
                         capture_output=True, text=True).stdout
    cost, verdict = out.split(maxsplit=1)
    assert float(cost) < 0.5 and verdict.strip() == "light", out
