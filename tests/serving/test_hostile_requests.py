"""What strangers may send: each ends in an explained error, quickly, and alone."""

import itertools
import json
import time

import grpc
import numpy as np
import pytest

from bdlzoo.serving import apis
from bdlzoo.serving.grpc_client import GRPCClient
from tests.serving import fuzz

MODEL = "/v1/models/digits"
# 2**63 bytes would be one too many for any counter.
SAID = [(20_000_000, 8, 8, 1), (100_000, 8, 8, 1), (2**60, 8, 8, 1)]
BODY = json.dumps({"instances": [np.zeros((8, 8, 1)).tolist()]}).encode()


@pytest.fixture
def call(served):
    """Sends bytes to `Predict`; returns the code and the details of the error."""
    with grpc.insecure_channel(served.addresses[GRPCClient]) as channel:
        method = channel.unary_unary("/tensorflow.serving.PredictionService/Predict")

        def send(sent):
            with pytest.raises(grpc.RpcError) as raised:
                method(sent, timeout=60)
            return raised.value.code().name, raised.value.details()

        yield send


@pytest.fixture
def exchange(served):
    """Sends bytes over HTTP; returns statuses and bodies of all answers."""
    address = f"127.0.0.1:{served.rest.port}"

    def send(head, sent=b"", host=address):
        text = head.encode() + f"\r\nHost: {host}\r\n\r\n".encode() + sent
        received, found = fuzz.exchange(address, text, seconds=30), []
        while received:
            lines, _, received = received.partition(b"\r\n\r\n")
            size = next(int(line.split(b":")[1]) for line in lines.split(b"\r\n")
                        if line.lower().startswith(b"content-length"))
            found.append((int(lines.split()[1]), json.loads(received[:size])))
            received = received[size:]
        return found

    return send


def _request(shape, dtype=1, values=(0.5,)):
    request = apis.predict_pb2.PredictRequest()
    request.model_spec.name = "digits"
    tensor = request.inputs["inputs"]
    tensor.dtype = dtype
    tensor.float_val.extend(values)
    for size in shape:
        tensor.tensor_shape.dim.add(size=size)
    return request


@pytest.mark.parametrize("shape", SAID[1:] + SAID[:1])
def test_tensor_that_is_only_said_costs_nothing(call, shape):
    sent = _request(shape).SerializeToString()
    assert len(sent) < 70
    call(sent)  # The first use of a channel connects it.
    begin = time.perf_counter()
    code, details = call(sent)
    seconds = time.perf_counter() - begin
    assert code == "INVALID_ARGUMENT" and "rows" in details
    assert seconds < 0.2  # On a machine at rest it is 1 ms; see the next test.


def test_judging_takes_less_than_ten_milliseconds(served):
    methods = served.grpc._methods
    taken = []
    for _ in range(20):
        begin = time.perf_counter()
        request = apis.predict_pb2.PredictRequest.FromString(
            _request(SAID[0]).SerializeToString())
        with pytest.raises(Exception, match="rows"):
            methods.Predict(request)
        taken.append(time.perf_counter() - begin)
    assert min(taken) < 0.01


@pytest.mark.parametrize("sent", [
    _request((1, 8, 8, 1), dtype=20).SerializeToString(),  # DT_RESOURCE.
    _request((1, 8, 8, 1), dtype=999).SerializeToString(),
    _request((1, 8, 8, 1), values=[0.5] * 65).SerializeToString(),
    _request((1, 8, 8, 1), values=[]).SerializeToString(),
    _request((-1, 8, 8, 1)).SerializeToString(), b"\xff\xff\xff"])
def test_wrong_tensors_are_invalid_arguments(call, sent):
    assert call(sent)[0] == "INVALID_ARGUMENT"


def test_orders_of_outputs_make_no_functions(served, images):
    _, version = served.models.version("digits")
    all_of_them = version.run({"inputs": images})
    before = len(version._functions)
    for names in itertools.islice(itertools.permutations(sorted(all_of_them)), 40):
        answer = version.run({"inputs": images}, outputs=names[:3])
        assert tuple(answer) == names[:3]
        for name, value in answer.items():
            np.testing.assert_array_equal(value, all_of_them[name])
    assert len(version._functions) == before


@pytest.mark.parametrize("lines, sent, status", [
    ("Content-Length: -1", BODY, 400), ("Content-Length: +9", BODY, 400),
    ("Content-Length: 1_0", BODY, 400), ("Content-Length: ", BODY, 400),
    ("Content-Length: 999999999999", b"", 429), ("X-A: b", BODY, 411),
    ("Content-Length: 5\r\nContent-Length: 6", BODY, 400),
    ("Content-Length : 5", BODY, 400), ("Content-Length: 5\r\n folded", BODY, 400),
    ("Transfer-Encoding: gzip", BODY, 501),
    ("Transfer-Encoding: chunked\r\nContent-Length: 5", BODY, 400),
    ("Transfer-Encoding: chunked", b"-5\r\nabcde\r\n0\r\n\r\n", 400),
    ("Transfer-Encoding: chunked", b"2\r\n{}extra\r\n0\r\n\r\n", 400),
    (f"Content-Length: {len(BODY) - 9}", BODY, 400),
    (f"Content-Length: {len(BODY) + 9}", BODY, 400)])
def test_wrong_framing_ends_the_connection(exchange, lines, sent, status):
    # Where the body ends is not sure: what follows must not be taken for a request.
    inner = f"GET {MODEL} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    [(found, answer)] = exchange(f"POST {MODEL}:predict HTTP/1.1\r\n{lines}",
                                 sent + inner)
    assert found == status, answer
    assert set(answer) == {"error"} and answer["error"]


def test_bodies_in_chunks_are_read(exchange):
    chunks = b"".join(b"%X;a=b\r\n%s\r\n" % (len(part), part)
                      for part in (BODY[:7], BODY[7:])) + b"0\r\nTrailer: a\r\n\r\n"
    inner = f"GET {MODEL} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    (first, answer), (second, _) = exchange(
        f"POST {MODEL}:predict HTTP/1.1\r\nTransfer-Encoding: chunked", chunks + inner)
    assert (first, second) == (200, 200) and len(answer["predictions"]) == 1
    (first, answer), (second, _) = exchange(
        f"POST {MODEL}:predict HTTP/1.1\r\nContent-Length: {len(BODY)}", BODY + inner)
    assert (first, second) == (200, 200) and len(answer["predictions"]) == 1


@pytest.mark.parametrize("head, status", [
    ("BREW / HTTP/1.1", 501), ("GET / HTTP/3.0", 505), ("GET /", 400),
    (f"GET /{'a' * 70000} HTTP/1.1", 414), (f"GET / HTTP/1.1\r\nX: {'a' * 70000}", 431),
    ("GET / HTTP/1.1" + "\r\nX: a" * 20000, 431),
    (f"GET {MODEL}/versions/{'9' * 4400} HTTP/1.1", 400),
    (f"POST {MODEL}/versions/{'9' * 4400}:predict HTTP/1.1\r\nContent-Length: 0", 400),
    ("GET //[ HTTP/1.1", 400)])
def test_every_refusal_is_json(exchange, head, status):
    [(found, answer)] = exchange(head)
    assert found == status, answer
    assert set(answer) == {"error"} and answer["error"]


def test_only_names_of_this_machine_are_answered(exchange, served):
    for host in ("localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8501"):
        assert exchange(f"GET {MODEL} HTTP/1.1", host=host)[0][0] == 200
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost@evil", "", "["):
        [(status, answer)] = exchange(f"GET {MODEL} HTTP/1.1", host=host)
        assert status == 403 and "--allowed_hosts" in answer["error"]
    for origin, status in (("http://localhost:3000", 200), ("http://evil.example", 403),
                           ("null", 403)):
        assert exchange(f"GET {MODEL} HTTP/1.1\r\nOrigin: {origin}")[0][0] == status


def test_seeded_requests_find_no_fault(served):
    fuzzer = fuzz.Fuzzer(f"127.0.0.1:{served.rest.port}",
                         served.addresses[GRPCClient], ["digits"], seed=5)
    try:
        fuzzer.run(300)
    finally:
        fuzzer.close()
    assert not fuzzer.faults, fuzzer.faults[:5]
    assert fuzzer.counts["REST 200"] > 30 and fuzzer.counts["gRPC OK"] > 30
    assert fuzzer.counts["REST 400"] > 30
    assert fuzzer.counts["gRPC INVALID_ARGUMENT"] > 30
