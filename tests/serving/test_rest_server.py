"""Statuses and bodies over HTTP are those of TF Serving."""

import http.client
import json

import numpy as np
import pytest

from bdlzoo.serving.limits import Limits

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
