"""Training in one process and in several, as a user starts it."""

import csv
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import keras
import numpy as np
import pytest

from bdlzoo import runs
from bdlzoo.programs import supervisor
from tests.programs import processes

ROOT = pathlib.Path(__file__).parents[2]
SMOKE = "--config=digits/mc_dropout.py:smoke"


def _command(workdir, *flags, config="deterministic.py"):
    return [sys.executable, "-m", "bdlzoo.programs", "train", f"--workdir={workdir}",
            f"--config={ROOT}/configs/digits/{config}", *flags]


def _history(workdir):
    with open(workdir / "history.csv", newline="") as file:
        return {int(row.pop("epoch")): {name: float(value) for name, value
                                        in row.items()} for row in csv.DictReader(file)}


def test_a_config_is_trained_from_another_folder(tmp_path):
    code, out, err = processes.run("train", SMOKE, "--workdir=a", "--tensorboard",
                                   cwd=tmp_path)
    assert code == 0, err
    assert "accuracy" in out and (tmp_path / "a/model.keras").exists()
    assert any((tmp_path / "a/tensorboard").rglob("events*"))


@pytest.mark.slow
@pytest.mark.parametrize("flags, words", [
    (["--config.nonsense=1"], "nonsense"),
    (["--config.epoch=1"], 'Did you mean "epochs"'),
    (["--config=digits/mc_dropuot.py"], "digits/mc_dropout.py"),
    (["--config.data.name=digist"], "digits"),
    (["--config.method.type=MCDropuot"], "MCDropout"),
    (["--config.data.name=uci/concrete", "--config.network.type=MLP"],
     "BDLZOO_DATA_DIR")])
def test_wrong_flags_end_in_a_few_lines_and_no_folder(flags, words, tmp_path):
    code, out, err = processes.run("train", SMOKE, "--workdir=a", *flags, cwd=tmp_path,
                                   BDLZOO_DATA_DIR="")
    assert code != 0
    assert words in err, err
    assert "Traceback" not in err, err
    assert not (tmp_path / "a").exists()


@pytest.mark.slow
def test_door_of_the_checkout_is_the_same_program(tmp_path):
    done = subprocess.run([sys.executable, "-m", "tools.train"], cwd=ROOT, text=True,
                          capture_output=True, timeout=240)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "Received: no --config" in done.stderr


@pytest.mark.slow
def test_killed_run_ends_as_one_that_was_not(tmp_path):
    flags = [SMOKE, "--config.epochs=6", "--config.data.limit=512"]
    killed = processes.start("train", *flags, "--workdir=killed", cwd=tmp_path)
    last = tmp_path / "killed/checkpoints/epoch-00002.weights.h5"
    deadline = time.monotonic() + 120
    while not last.exists() and time.monotonic() < deadline:
        time.sleep(0.001)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert last.exists() and not (tmp_path / "killed/model.keras").exists()
    for name in ("killed", "whole"):
        code, out, err = processes.run("train", *flags, f"--workdir={name}",
                                       cwd=tmp_path)
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


@pytest.mark.slow
def test_two_processes_train_as_one_does(tmp_path, monkeypatch):
    """The whole config of the digits: 30 epochs of Adam."""
    monkeypatch.chdir(ROOT)
    supervisor.supervise(_command(tmp_path / "two", "--strategy=multi_worker"), 2, 0)
    subprocess.run(_command(tmp_path / "one"), check=True, timeout=400)
    two, one = _history(tmp_path / "two"), _history(tmp_path / "one")
    assert len(two) == len(one) == 30
    for epoch in one:
        for name in one[epoch]:
            np.testing.assert_allclose(two[epoch][name], one[epoch][name], atol=1e-4)


@pytest.mark.slow
def test_run_with_a_killed_worker_ends_as_one_without(tmp_path):
    flags = ["--strategy=multi_worker", "--supervise", "--workers=2",
             "--config.epochs=5", "--config.data.limit=512"]
    for name in ("whole", "killed"):
        process = subprocess.Popen(
            _command(tmp_path / name, *flags, config="mc_dropout.py:smoke"), cwd=ROOT,
            text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"})
        try:
            first = next(line for line in process.stderr if line.startswith("Workers"))
            if name == "killed":
                _wait_for(tmp_path / "killed/checkpoints/epoch-00002.weights.h5")
                os.kill(int(re.findall(r"\d+", first)[1]), signal.SIGKILL)
            _, errors = process.communicate(timeout=400)
        finally:
            process.terminate()
        assert process.returncode == 0, errors
        assert ("Worker 1 has ended with code -9" in errors) == (name == "killed")
    first, second = (runs.Run.reopen(tmp_path / name).model
                     for name in ("whole", "killed"))
    for a, b in zip([*first.weights, *first.optimizer.variables],
                    [*second.weights, *second.optimizer.variables], strict=True):
        np.testing.assert_array_equal(a, b)
    assert _history(tmp_path / "whole") == _history(tmp_path / "killed")


@pytest.mark.slow
def test_killed_supervisor_takes_its_workers_along(tmp_path):
    process = subprocess.Popen(
        _command(tmp_path / "a", "--strategy=multi_worker", "--supervise",
                 "--config.epochs=5000", config="mc_dropout.py:smoke"), cwd=ROOT,
        text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"})
    try:
        next(line for line in process.stderr if line.startswith("Workers"))
        _wait_for(tmp_path / "a/checkpoints/epoch-00001.weights.h5")
        process.kill()
        process.communicate(timeout=60)
        deadline = time.monotonic() + 30
        while _is_there(process.pid):  # The group of the workers.
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        if _is_there(process.pid):
            os.killpg(process.pid, signal.SIGKILL)


def _is_there(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
def test_run_by_xla_is_compiled_and_the_same_again(tmp_path):
    config = tmp_path / "compiled.py"
    config.write_text("""
from bdlzoo import runs


def get_config():
    config = runs.read_config("digits/mc_dropout.py", "smoke")
    with config.unlocked():
        config.jit_compile = True
    return config
""")
    for name in ("first", "second"):
        done = subprocess.run(
            [sys.executable, "-m", "bdlzoo.programs", "train",
             f"--workdir={tmp_path / name}", f"--config={config}"],
            cwd=ROOT, text=True, capture_output=True, timeout=400,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "0"})
        assert done.returncode == 0, done.stderr
        assert "Compiled cluster using XLA" in done.stderr
        assert "determinism" not in done.stderr
    first, second = (runs.Run.reopen(tmp_path / name).model
                     for name in ("first", "second"))
    for a, b in zip(first.weights, second.weights, strict=True):
        np.testing.assert_array_equal(a, b)


def _wait_for(path, seconds=200):
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.001)


@pytest.mark.slow
def test_supervision_is_for_several_workers(tmp_path):
    done = subprocess.run(_command(tmp_path / "a", "--supervise"), cwd=ROOT, text=True,
                          capture_output=True, timeout=240)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "--strategy=multi_worker with --supervise" in done.stderr
    assert not (tmp_path / "a").exists()
