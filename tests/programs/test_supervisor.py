"""All workers start anew when one dies, and not for ever."""

import json
import os
import sys
import time

import pytest

from bdlzoo.programs import supervisor

# Each run writes down its place; the first runs of worker 1 die, as told.
WORKER = """
import json, os, pathlib, sys, time
folder, deaths = pathlib.Path(sys.argv[1]), int(sys.argv[2])
index = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
runs = len(list(folder.glob(f"{index}-*")))
(folder / f"{index}-{runs}").write_text(os.environ["TF_CONFIG"])
if index == 1 and runs < deaths:
    sys.exit("no more")
if index == 0 and runs < deaths:
    time.sleep(60)  # It waits for the other one, as in a collective.
"""


def _command(folder, deaths):
    return [sys.executable, "-c", WORKER, str(folder), str(deaths)]


def test_all_workers_are_started_again(tmp_path, capfd):
    begin = time.monotonic()
    supervisor.supervise(_command(tmp_path, 2), num_workers=2, max_restarts=2)
    assert time.monotonic() - begin < 30
    runs = {p.name: json.loads(p.read_text()) for p in tmp_path.iterdir()}
    assert set(runs) >= {"0-2", "1-0", "1-1", "1-2"}
    last = [runs[f"{index}-2"] for index in (0, 1)]
    assert last[0]["cluster"] == last[1]["cluster"]
    assert len(set(last[0]["cluster"]["worker"])) == 2
    assert all(address.startswith("127.0.0.1:")
               for address in last[0]["cluster"]["worker"])
    told = capfd.readouterr().err
    assert told.count("Worker 1 has ended with code 1.") == 2 and "no more" in told


def test_restarts_have_an_end(tmp_path):
    with pytest.raises(ValueError, match="Received: 2 failures"):
        supervisor.supervise(_command(tmp_path, 9), num_workers=2, max_restarts=1)
    assert len(list(tmp_path.glob("1-*"))) == 2


def test_worker_that_does_not_end_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "_GRACE", 0.1)
    code = ("import json, os, time; time.sleep(60 * json.loads("
            "os.environ['TF_CONFIG'])['task']['index'])")
    with pytest.raises(ValueError, match="1 failures"):
        supervisor.supervise([sys.executable, "-c", code], 2, max_restarts=0)


def test_workers_know_with_whom_they_end(tmp_path):
    code = "import os, sys; open(sys.argv[1], 'a').write(os.environ['BDLZOO_PARENT'])"
    supervisor.supervise([sys.executable, "-c", code, str(tmp_path / "a")], 1, 0)
    assert (tmp_path / "a").read_text() == str(os.getpid())
