"""Worker processes: their end, and their environments."""

import pathlib
import sys
import time

import pytest

from tools.benchmark import contenders

WORKERS = "tools/benchmark/workers"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty project; returns its folder and the commands that are run."""
    monkeypatch.setattr(contenders, "ROOT", tmp_path)
    monkeypatch.setattr(contenders, "ENVIRONMENTS", tmp_path)
    (tmp_path / WORKERS).mkdir(parents=True)
    calls = []
    monkeypatch.setattr(contenders, "_check", lambda *c: calls.append(c))
    return tmp_path, calls


def test_silent_worker_is_ended():
    begin = time.monotonic()
    with pytest.raises(contenders.Absent, match="no answer in 0.2 s"):
        contenders.Contender(["sleep", "60"], patience=0.2)
    assert time.monotonic() - begin < 10


def test_workers_end_with_the_section_even_after_an_error(asked):
    with pytest.raises(KeyboardInterrupt):
        with contenders.started({"a": "a"}) as running:
            process = running["a"]._process
            assert process.poll() is None
            raise KeyboardInterrupt
    assert process.poll() is not None


def test_environment_is_made_once_line_by_line(folder):
    root, calls = folder
    (root / WORKERS / "p.txt").write_text("one two\n--no-deps three\n")
    (root / "p").mkdir()
    for _ in range(2):
        [python, *rest] = contenders.command("p")
        assert python == str(root / "p/bin/python")
        assert rest == ["-m", "tools.benchmark.workers.p"]
    assert [c[-2:] for c in calls[1:]] == [("one", "two"), ("--no-deps", "three")]
    assert contenders.command("q")[0] == sys.executable


def test_environment_may_find_our_packages(folder):
    root, calls = folder
    (root / WORKERS / "p.txt").write_text("# beside our packages\none\n")
    contenders.command("p")
    assert [c[-1] for c in calls[1:]] == ["one"]
    [link] = root.glob("p/lib/python*/site-packages/*.pth")
    assert pathlib.Path(link.read_text().strip(), "numpy").exists()


def test_environment_that_cannot_be_made_says_why():
    with pytest.raises(contenders.Absent, match="^ZeroDivisionError"):
        contenders._check(sys.executable, "-c", "1 / 0")
