"""Codes over gRPC are those of TF Serving."""

import contextlib
import dataclasses
import socket
import threading
import types

import grpc
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.serving import apis, grpc_server
from bdlzoo.serving.grpc_client import GRPCClient
from bdlzoo.serving.grpc_server import GRPCServer

Request = apis.predict_pb2.PredictRequest


@pytest.fixture
def stub(served):
    with grpc.insecure_channel(served.addresses[GRPCClient]) as channel:
        yield apis.prediction_service_pb2_grpc.PredictionServiceStub(channel)


def _request(rows, name="digits", signature="", **spec):
    request = Request()
    request.model_spec.name = name
    request.model_spec.signature_name = signature
    for key, value in spec.items():
        if key == "version":
            request.model_spec.version.value = value
        else:
            setattr(request.model_spec, key, value)
    request.inputs["inputs"].CopyFrom(tf.make_tensor_proto(rows))
    return request


def test_response_says_who_answered(stub, images):
    request = _request(images)
    request.output_filter.append("label")
    response = stub.Predict(request, timeout=60)
    assert list(response.outputs) == ["label"]
    assert response.model_spec.version.value == 1
    assert response.model_spec.signature_name == "serving_default"


@pytest.mark.parametrize("change, code", [
    ({"name": "other"}, "NOT_FOUND"), ({"version": 9}, "NOT_FOUND"),
    ({"version_label": "stable"}, "INVALID_ARGUMENT"),
    ({"signature": "no"}, "FAILED_PRECONDITION"),
    ({"signature": "predict"}, "INVALID_ARGUMENT"),
    ({"rows": np.zeros((1, 8, 8, 1), "int32")}, "INVALID_ARGUMENT"),
    ({"rows": np.zeros((1, 7), "float32")}, "INVALID_ARGUMENT"),
    ({"rows": np.full((1, 8, 8, 1), np.inf, "float32")}, "INVALID_ARGUMENT")])
def test_errors_have_the_codes_of_tf_serving(stub, images, change, code):
    with pytest.raises(grpc.RpcError) as raised:
        stub.Predict(_request(**{"rows": images, **change}), timeout=60)
    assert raised.value.code() == getattr(grpc.StatusCode, code)


def test_messages_of_many_parts_are_refused_before_they_are_parsed(stub, images):
    request = _request(images)
    sizes = request.inputs["inputs"].tensor_shape.dim
    sizes.extend([type(sizes[0])()] * 140_000)  # Two bytes each, a hundred in memory.
    with pytest.raises(grpc.RpcError, match="at most 131072 fields") as raised:
        stub.Predict(request, timeout=60)
    assert raised.value.code() == grpc.StatusCode.INVALID_ARGUMENT


def test_what_cannot_be_answered_otherwise(stub, served, images, monkeypatch):
    broken = _request(images)
    broken.inputs["inputs"].tensor_content = b"123"
    for call, code in (
            (lambda: stub.Predict(broken, timeout=60), "INVALID_ARGUMENT"),
            (lambda: stub.GetModelMetadata(
                apis.get_model_metadata_pb2.GetModelMetadataRequest(), timeout=60),
             "INVALID_ARGUMENT")):
        with pytest.raises(grpc.RpcError) as raised:
            call()
        assert raised.value.code() == getattr(grpc.StatusCode, code)
    monkeypatch.setattr(served.models, "run", lambda *_: 1 / 0)
    with pytest.raises(grpc.RpcError) as raised:
        stub.Predict(_request(images), timeout=60)
    assert raised.value.code() == grpc.StatusCode.INTERNAL


@pytest.mark.parametrize("grace, seconds, dropped", [(30, 0.3, 0), (0.1, 5, 1)])
def test_accepted_requests_are_answered_within_the_grace(
        served, images, monkeypatch, grace, seconds, dropped):
    begun, go, run = threading.Event(), threading.Event(), served.models.run

    def slow(*asked):
        begun.set()
        go.wait(seconds)
        return run(*asked)

    monkeypatch.setattr(served.models, "run", slow)
    server = GRPCServer(served.models)
    server.start()
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        stub = apis.prediction_service_pb2_grpc.PredictionServiceStub(channel)
        asked = stub.Predict.future(_request(images), timeout=60)
        assert begun.wait(30)
        assert server.stop(grace) == dropped
        if not dropped:
            assert len(asked.result().outputs["label"].int_val) or (
                asked.result().outputs["label"].tensor_content)
        go.set()


def test_calls_without_their_message_end_and_hold_up_nobody(
        served, images, monkeypatch):
    monkeypatch.setattr(grpc_server, "_MESSAGE_SECONDS", 0.5)
    server, never = GRPCServer(served.models), threading.Event()
    server.start()
    threads = grpc_server._THREADS * served.models.limits.answers
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        stub = apis.prediction_service_pb2_grpc.PredictionServiceStub(channel)
        ask = channel.stream_unary("/tensorflow.serving.PredictionService/Predict")
        held = [ask.future(iter(never.wait, True), timeout=60) for _ in range(threads)]
        assert len(stub.Predict(_request(images), timeout=60).outputs) > 1
        for each in held:
            assert each.code() == grpc.StatusCode.CANCELLED
        with pytest.raises(grpc.RpcError) as raised:
            ask(iter(()), timeout=60)
        assert raised.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        never.set()
    assert server.stop() == 0


def test_connections_have_a_limit(served):
    limits = dataclasses.replace(served.models.limits, connections=2)
    server = GRPCServer(types.SimpleNamespace(limits=limits))
    server.start()
    address, begun = ("127.0.0.1", server.port), []
    for _ in range(4):
        begun.append(socket.create_connection(address, timeout=30))
        begun[-1].sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([
            0, 0, 0, 4, 0, 0, 0, 0, 0]))
    with contextlib.ExitStack() as stack:
        answered = [_begins(stack.enter_context(each)) for each in begun]
    server.stop()
    assert answered == [True, True, False, False]


def _begins(connection):
    """Whether a connection is taken: a server then begins with its settings."""
    with contextlib.suppress(ConnectionResetError):
        return bool(connection.recv(9))
    return False


def test_port_that_is_taken_is_said(served):
    with pytest.raises(OSError, match=f"port={served.grpc.port}"):
        GRPCServer(served.models, served.grpc.port)
