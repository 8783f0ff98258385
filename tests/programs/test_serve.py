"""The server as a user starts it: under load, and while versions come and go."""

import concurrent.futures
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from bdlzoo.methods import MCDropout
from bdlzoo.networks import SmallCNN
from bdlzoo.serving.grpc_client import GRPCClient
from bdlzoo.serving.publish import publish
from bdlzoo.serving.rest_client import RESTClient
from tests.model.test_saved_model import KILLED, write
from tests.serving import broken_versions, fuzz

ROOT = pathlib.Path(__file__).parents[2]
CLIENTS, REQUESTS = 16, 2000
pytestmark = pytest.mark.slow


def _start(*flags):
    return subprocess.Popen(
        [sys.executable, "-m", "bdlzoo.programs", "serve", "--port=0",
         "--rest_api_port=0", *flags],
        cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@contextlib.contextmanager
def serving(*flags, end=signal.SIGINT):
    """Starts a server; yields the addresses of REST and gRPC; ends it by a signal."""
    process = _start(*flags)
    clock = threading.Timer(240, process.kill)
    clock.start()
    try:
        line = process.stdout.readline()
        ports = re.findall(r"127\.0\.0\.1:(\d+)", line)
        assert len(ports) == 2, line + process.stderr.read()
        yield [f"127.0.0.1:{port}" for port in ports]
        process.send_signal(end)
        assert process.wait(30) == 0
    finally:
        clock.cancel()
        process.kill()
        process.communicate()


def test_many_clients_get_all_answers_and_the_right_ones(tmp_path, capsys):
    network = SmallCNN((8, 8, 1), outputs=10, dropout=0.4, dropout_at="last")
    model = MCDropout(network, num_samples=8, seed=3)
    model.build((None, 8, 8, 1))
    publish(model, tmp_path / "digits")
    rows = np.random.default_rng(0).random((6, 8, 8, 1)).astype("float32")
    asked = [(rows[:1 + k % 6], 1 + k % 5, k) for k in range(40)]
    expected = [model.predict_uncertainty(x, count, seed).probabilities
                for x, count, seed in asked]
    taken, faults, lock = {RESTClient: [], GRPCClient: []}, [], threading.Lock()

    def work(client, places):
        for place in places:
            x, count, seed = asked[place % len(asked)]
            begin = time.perf_counter()
            try:
                answer = client.predict(x, num_samples=count, seed=seed)
                np.testing.assert_allclose(
                    answer["probabilities"], expected[place % len(asked)], atol=1e-5)
            except Exception as fault:
                with lock:
                    faults.append(fault)
            with lock:
                taken[type(client)].append(time.perf_counter() - begin)

    with serving(f"--model_base_path={tmp_path / 'digits'}") as (rest, grpc):
        clients = [kind(address, "digits") for _ in range(CLIENTS // 2)
                   for kind, address in ((RESTClient, rest), (GRPCClient, grpc))]
        threads = [threading.Thread(target=work, args=(
            client, range(place, REQUESTS, CLIENTS)))
            for place, client in enumerate(clients)]
        begin = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(200)
        seconds = time.perf_counter() - begin
    assert not faults, faults[:3]
    assert sum(map(len, taken.values())) == REQUESTS
    with capsys.disabled():
        print(f"\n{REQUESTS} requests from {CLIENTS} clients in {seconds:.1f} s")
        for kind, times in taken.items():
            p50, p99 = np.percentile(times, [50, 99]) * 1000
            print(f"  {kind.__name__}: p50 {p50:.1f} ms, p99 {p99:.1f} ms")


def test_killed_exporter_leaves_the_server_with_the_last_version(tmp_path):
    write(tmp_path / "sums")
    rows = np.ones((2, 6), "float32")
    with serving(f"--model_base_path={tmp_path / 'sums'}",
                 "--file_system_poll_wait_seconds=0.1",
                 end=signal.SIGTERM) as (rest, grpc):
        clients = [RESTClient(rest, "sums"), GRPCClient(grpc, "sums")]
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(tmp_path / "sums")], cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=240)
        assert done.returncode == -signal.SIGKILL
        time.sleep(1)  # Several looks for a new version.
        for client in clients:
            assert [s["version"] for s in client.status()] == [1]
            np.testing.assert_array_equal(client.predict(rows)["sum"], [[6.0]] * 2)
        write(tmp_path / "sums")
        deadline = time.monotonic() + 60
        while clients[0].status()[-1] != {
                "version": 2, "state": "AVAILABLE", "error_code": "OK",
                "error_message": ""}:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        for client in clients:
            np.testing.assert_array_equal(client.predict(rows)["sum"], [[6.0]] * 2)


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """Folder of a model that takes about a second for 2,000 rows."""
    network = SmallCNN((8, 8, 1), outputs=10, dropout=0.4, dropout_at="all")
    model = MCDropout(network, num_samples=8, seed=3)
    model.build((None, 8, 8, 1))
    folder = tmp_path_factory.mktemp("served") / "digits"
    publish(model, folder, batch_sizes=(1,))
    return folder


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_accepted_requests_are_answered_before_the_end(digits, end, capsys):
    rows = np.random.default_rng(0).random((2000, 8, 8, 1)).astype("float32")
    counts = {RESTClient: 8, GRPCClient: 28}
    process, rest, grpc = fuzz.start_server([digits], "--grace=200")
    try:
        addresses = {RESTClient: rest, GRPCClient: grpc}
        with GRPCClient(grpc, "digits") as client:
            expected = client.predict(rows)["probabilities"]
        clients = [kind(addresses[kind], "digits", timeout=200)
                   for kind, count in counts.items() for _ in range(count)]
        for client in clients:  # Connects them, and reads the signatures.
            client.predict(rows[:1])
        with concurrent.futures.ThreadPoolExecutor(len(clients)) as pool:
            asked = [pool.submit(client.predict, rows) for client in clients]
            time.sleep(1)  # All of them are sent, and few are answered.
            before = sum(each.done() for each in asked)
            begin = time.monotonic()
            process.send_signal(end)
            faults = [each.exception(200) for each in asked if each.exception(200)]
            code = process.wait(60)
            seconds = time.monotonic() - begin
        for each in asked:
            if not each.exception():
                np.testing.assert_array_equal(each.result()["probabilities"], expected)
    finally:
        process.kill()
    with capsys.disabled():
        print(f"\n{end.name}: {before} of {len(asked)} were answered before it, "
              f"{len(asked) - before - len(faults)} after it, {len(faults)} lost; "
              f"end with {code} after {seconds:.1f} s")
    assert before < len(asked) // 2 and not faults and code == 0
    with pytest.raises(ConnectionError):
        RESTClient(rest, "digits").status()


def test_end_comes_with_the_grace_whatever_is_computed(digits):
    rows = np.zeros((16000, 8, 8, 1), "float32")
    process, _, grpc = fuzz.start_server([digits], "--grace=1")
    try:
        clients = [GRPCClient(grpc, "digits", timeout=100) for _ in range(20)]
        for client in clients:
            client.predict(rows[:1])
        with concurrent.futures.ThreadPoolExecutor(len(clients)) as pool:
            asked = [pool.submit(client.predict, rows) for client in clients]
            time.sleep(1)
            begin = time.monotonic()
            process.send_signal(signal.SIGTERM)
            code = process.wait(60)
            seconds = time.monotonic() - begin
            lost = [each.exception(100) for each in asked]
    finally:
        process.kill()
    assert code == 1 and seconds < 5
    assert all(error is None or error.code in ("CANCELLED", "UNAVAILABLE")
               for error in lost) and any(lost)


def test_ports_in_use_are_said(digits):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for flag in ("rest_api_port", "port"):
            process = _start(f"--model_base_path={digits}", f"--{flag}={port}")
            _, errors = process.communicate(timeout=240)
            assert process.returncode == 1 and "Traceback" not in errors
            assert f"--{flag}" in errors and f"port={port}" in errors


def test_older_version_serves_where_the_newest_is_broken(digits, tmp_path):
    folder = tmp_path / "digits"
    shutil.copytree(digits, folder)
    broken = broken_versions.publish_broken(folder, folder / "1", "cut weights")
    with serving(f"--model_base_path={folder}",
                 "--file_system_poll_wait_seconds=0.1") as (rest, _):
        client = RESTClient(rest, "digits")
        assert [s["state"] for s in client.status()] == ["AVAILABLE", "END"]
        broken_versions.replace(broken, folder / "1")
        deadline = time.monotonic() + 60
        while [s["state"] for s in client.status()] != ["END", "AVAILABLE"]:
            assert time.monotonic() < deadline
            time.sleep(0.1)


@pytest.mark.parametrize("flags, words", [
    (["--model_base_path=none"], "without any"),
    (["--model_base_path=a/m,b/m"], "different names"),
    (["--model_base_path=a,b", "--model_name=m"], "with one model only")])
def test_wrong_flags_end_in_a_few_lines(flags, words):
    process = _start(*flags)
    _, errors = process.communicate(timeout=240)
    assert process.returncode == 1
    assert words in errors and "Traceback" not in errors
