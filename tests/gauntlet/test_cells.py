"""Judging of cells: from what the steps left in a folder to a verdict."""

import json

import numpy as np
import pytest

from tests.gauntlet import cells, steps
from tests.gauntlet.networks import NETWORKS


@pytest.fixture
def left(tmp_path):
    """Writes what the steps of a cell left behind, and judges it."""
    def judge(network="mlp", door="sgld", facts=None, make=None, load=None, serve=None,
              loaded=0.0, answered=0.0):
        made = {"facts": {"save": None, "export": None, **(facts or {})}}
        found = {"make": {"error": make} if make else made,
                 "load": {"error": load} if load else {},
                 "serve": {"error": serve} if serve else {}}
        for step, said in found.items():
            (tmp_path / f"{step}.json").write_text(json.dumps({"seconds": 1, **said}))
        for name, shift in (("wanted", 0.0), ("loaded", loaded),
                            ("answered", answered)):
            np.savez(tmp_path / f"{name}.npz", mean=np.full(3, shift),
                     draws=np.zeros([2, 3]))
        return cells.verdict((network, door), tmp_path)

    return judge


def _error(message):
    return {"kind": "ValueError", "message": message, "place": "here.py:1"}


def test_cell_without_an_error_is_ok(left):
    assert left() == {"status": "ok", "text": "", "seconds": 3}
    assert left(facts={"posterior": 0.5})["posterior"] == 0.5
    assert left(facts={"lacks": "no dropout"})["status"] == "lacks"


@pytest.mark.parametrize("step", ["make", "load", "serve"])
def test_error_that_nobody_expects_is_bad(left, step):
    found = left(**{step: _error("Oh")})
    assert found["status"] == "bad"
    assert found["text"].endswith(": ValueError: Oh [here.py:1]")


@pytest.mark.parametrize("step", ["save", "export"])
def test_file_that_cannot_be_written_is_bad(left, step):
    assert left(facts={step: _error("Oh")})["text"].startswith(f"{step}: ")


@pytest.mark.parametrize("where", ["loaded", "answered"])
def test_other_prediction_elsewhere_is_bad(left, where):
    assert left(**{where: 1e-6})["status"] == "ok"
    found = left(**{where: 1e-3})
    assert found["status"] == "bad" and "0.001 apart" in found["text"]


def test_expected_error_must_come_and_hold_its_message(left):
    right = _error("Expected one output: `keras.Model(...)`")
    assert left("two_outputs", make=right)["status"] == "refused"
    assert left("two_outputs", make=_error("Oh"))["status"] == "bad"
    assert left("two_outputs")["text"].startswith("model: no error that holds")
    # A file that cannot be loaded does not excuse anything else.
    other = _error("Unknown layer: Shifted")
    assert left("unregistered", load=other)["status"] == "ok"
    assert left("unregistered", load=other, serve=_error("Oh"))["status"] == "bad"


def test_process_that_dies_takes_one_cell_along(tmp_path, monkeypatch):
    folders = [tmp_path / name for name in "abc"]
    for folder in folders:
        folder.mkdir()
    calls = []

    def run(command, **options):
        *_, step = command[:4]
        left = command[4:]
        calls.append([path[-1] for path in left])
        for path in left:
            if path.endswith("b"):
                return type("Ended", (), {"returncode": -11, "stderr": "Aborted"})
            (tmp_path / path[-1] / f"{step}.json").write_text("{}")
        return type("Ended", (), {"returncode": 0, "stderr": ""})

    monkeypatch.setattr(cells.subprocess, "run", run)
    cells._done("make", folders, 1.0)
    assert calls == [["a", "b", "c"], ["c"]]
    assert "exit code -11: Aborted" in (tmp_path / "b" / "make.json").read_text()


@pytest.mark.parametrize("name", ["mlp", "look_ups", "memory_network"])
def test_inputs_come_back_as_they_were(name, tmp_path):
    net = NETWORKS[name]
    steps.write_inputs(tmp_path, net)
    found, named = steps.read_inputs(tmp_path)
    assert isinstance(found, type(net.inputs))
    wanted = net.inputs if isinstance(net.inputs, dict) else {
        "mlp": {"0": net.inputs}, "memory_network": dict(
            zip(("story", "question"), net.inputs))}[name]
    assert {*named} == {*wanted}
    for key, array in wanted.items():
        np.testing.assert_array_equal(named[key], array)
        assert named[key].dtype == array.dtype
