"""Statuses and bodies over HTTP are those of TF Serving."""

import concurrent.futures
import dataclasses
import http.client
import json
import socket
import threading
import time

import numpy as np
import pytest

from bdlzoo.serving.limits import Limits
from bdlzoo.serving.rest_server import RESTServer
from tests.serving import fuzz

MODEL = "/v1/models/digits"
ROW = np.zeros((8, 8, 1)).tolist()


@pytest.fixture
def call(served):
    """Sends a request; returns status and JSON."""
    connection = http.client.HTTPConnection(f"127.0.0.1:{served.rest.port}", timeout=60)

    def send(verb, path, body=None):
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        connection.request(verb, path, text)
        response = connection.getresponse()
        return response.status, json.loads(response.read())

    yield send
    connection.close()


def test_predictions_of_rows_and_columns(call, published, images):
    status, answer = call("POST", f"{MODEL}:predict", {"instances": images.tolist()})
    mean = published.model.predict(images, verbose=0)
    assert status == 200 and len(answer["predictions"]) == 5
    np.testing.assert_allclose(
        [row["probabilities"] for row in answer["predictions"]], mean, atol=1e-5)
    status, answer = call("POST", f"{MODEL}/versions/1:predict", {
        "signature_name": "predict", "inputs": {
            "inputs": images.tolist(), "num_samples": [3], "seed": [[7, 0]]}})
    assert status == 200
    np.testing.assert_allclose(
        answer["outputs"]["mutual_information"],
        published.model.predict_uncertainty(images, 3, 7).mutual_information,
        atol=1e-5)


def test_json_of_lists_is_refused_before_it_is_parsed(call, served, monkeypatch):
    small = dataclasses.replace(served.rest.models.limits, body_bytes=100_000)
    monkeypatch.setattr(served.rest.models, "limits", small)
    status, answer = call("POST", f"{MODEL}:predict", f"[{'[],' * 30_000}[]]")
    assert status == 429 and "at most 800000 bytes in memory" in answer["error"]


def test_status_and_metadata(call):
    status, answer = call("GET", MODEL)
    assert status == 200
    assert answer == {"model_version_status": [{
        "version": "1", "state": "AVAILABLE",
        "status": {"error_code": "OK", "error_message": ""}}]}
    assert call("GET", f"{MODEL}/versions/1") == (200, answer)
    status, answer = call("GET", f"{MODEL}/metadata")
    assert answer["model_spec"] == {
        "name": "digits", "signature_name": "", "version": "1"}
    found = answer["metadata"]["signature_def"]["signature_def"]["serving_default"]
    assert found["method_name"] == "tensorflow/serving/predict"
    info = found["inputs"]["inputs"]
    assert info["dtype"] == "DT_FLOAT"
    assert [dim["size"] for dim in info["tensor_shape"]["dim"]] == ["-1", "8", "8", "1"]


@pytest.mark.parametrize("verb, path, body, status", [
    ("POST", f"{MODEL}:predict", "{", 400),
    ("POST", f"{MODEL}:predict", None, 400),
    ("POST", f"{MODEL}:predict", {"instances": ["a"]}, 400),
    ("POST", f"{MODEL}:predict", {"instances": [[1.0]]}, 400),
    ("POST", f"{MODEL}:predict", '{"instances": [' + json.dumps(
        np.full((8, 8, 1), np.nan).tolist()) + "]}", 400),
    ("POST", f"{MODEL}:predict", {"signature_name": "no", "instances": [ROW]}, 400),
    ("POST", f"{MODEL}:classify", {"instances": [ROW]}, 400),
    ("POST", "/v1/models/other:predict", {"instances": [ROW]}, 404),
    ("POST", "/v1/models/other:predict", "{", 400),  # It is read before.
    ("POST", f"{MODEL}/versions/9:predict", {"instances": [ROW]}, 404),
    ("POST", f"{MODEL}/labels/stable:predict", {"instances": [ROW]}, 400),
    ("POST", MODEL, {}, 400), ("GET", "/v1/models", None, 400),
    ("GET", "/v1/models/other", None, 404), ("GET", f"{MODEL}/versions/9", None, 404),
    ("GET", "/v1/models/other/metadata", None, 404), ("GET", "/nothing", None, 404)])
def test_errors_have_the_statuses_of_tf_serving(call, verb, path, body, status):
    found, answer = call(verb, path, body)
    assert found == status, answer
    assert set(answer) == {"error"} and answer["error"]


def test_huge_batch_of_a_batching_server_is_refused(call, served, monkeypatch):
    monkeypatch.setattr(served.models, "max_batch_size", 2)
    status, answer = call("POST", f"{MODEL}:predict", {"instances": [ROW] * 3})
    assert status == 400 and "Task size 3" in answer["error"]
    monkeypatch.setattr(served.models, "limits", Limits(body_bytes=10))
    status, answer = call("POST", f"{MODEL}:predict", {"instances": [ROW]})
    assert status == 429 and "at most 10 bytes" in answer["error"]


def test_fault_of_the_server_is_an_internal_error(call, served, monkeypatch):
    monkeypatch.setattr(served.models, "run", lambda *_: 1 / 0)
    assert call("POST", f"{MODEL}:predict", {"instances": [ROW]}) == (
        500, {"error": "ZeroDivisionError"})


def test_only_this_machine_is_served(served):
    assert served.rest._listener.getsockname()[0] == "127.0.0.1"


def test_port_that_is_taken_is_said(served):
    for port in (served.rest.port, 10**6):
        with pytest.raises(OSError, match=f"--rest_api_port.*port={port}"):
            RESTServer(served.models, port)
    RESTServer(served.models).stop()  # One that was never started.


def test_connections_have_a_limit_and_idle_ones_give_way(served, monkeypatch):
    monkeypatch.setattr(served.models, "limits", Limits(connections=2))
    server = RESTServer(served.models)
    server.start()
    address = "127.0.0.1", server.port
    half = b"GET / HTTP/1.1\r\n"  # The server waits for the rest of it.
    with (socket.create_connection(address, 30) as first,
          socket.create_connection(address, 30) as second):
        first.sendall(half)
        second.sendall(half)
        while sum(not each.idle for each in server._open()) < 2:
            time.sleep(0.01)
        text = fuzz.exchange(f"127.0.0.1:{server.port}", half)
        assert text.startswith(b"HTTP/1.1 503 ") and b"at most 2 connections" in text
        first.sendall(b"Host: localhost\r\n\r\n")
        assert first.recv(2**16).startswith(b"HTTP/1.1 200 ")
        while sum(each.idle for each in server._open()) < 1:
            time.sleep(0.01)
        text = fuzz.exchange(f"127.0.0.1:{server.port}",
                             half + b"Host: localhost\r\n\r\n")
        assert text.startswith(b"HTTP/1.1 200 ")
        second.sendall(b"Host: localhost\r\n\r\n")
        assert second.recv(2**16).startswith(b"HTTP/1.1 200 ")
    assert server.stop() == 0


def test_accepted_requests_are_answered_before_the_end(served, monkeypatch):
    begun, go = threading.Semaphore(0), threading.Event()
    run = served.models.run

    def slow(*asked):
        begun.release()
        go.wait(30)
        return run(*asked)

    monkeypatch.setattr(served.models, "run", slow)
    server = RESTServer(served.models)
    server.start()
    body = json.dumps({"instances": [ROW]}).encode()
    sent = (f"POST {MODEL}:predict HTTP/1.1\r\nHost: localhost\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(fuzz.exchange, f"127.0.0.1:{server.port}", sent)
                   for _ in range(3)]
        for _ in answers:
            begun.acquire()
        with socket.create_connection(("127.0.0.1", server.port), 30) as idle:
            stopped = pool.submit(server.stop, 30)
            while not server.draining:
                time.sleep(0.01)
            idle.sendall(sent)  # On a connection that was there before.
            assert begun.acquire(timeout=30)
            with pytest.raises(OSError):
                while True:  # New ones are refused soon.
                    socket.create_connection(("127.0.0.1", server.port), 1).close()
                    time.sleep(0.01)
            go.set()
            answers = [answer.result(30) for answer in answers] + [idle.recv(2**16)]
        assert stopped.result(30) == 0
    for answer in answers:
        assert answer.startswith(b"HTTP/1.1 200 ") and b"Connection: close" in answer


def test_what_takes_longer_than_the_grace_is_counted(served, monkeypatch):
    begun, go = threading.Semaphore(0), threading.Event()
    monkeypatch.setattr(served.models, "run",
                        lambda *_: (begun.release(), go.wait(30)))
    server = RESTServer(served.models)
    server.start()
    body = json.dumps({"instances": [ROW]}).encode()
    with socket.create_connection(("127.0.0.1", server.port), 30) as asking:
        asking.sendall(f"POST {MODEL}:predict HTTP/1.1\r\nHost: localhost\r\n"
                       f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        begun.acquire()
        assert server.stop(0.1) == 1
        go.set()
