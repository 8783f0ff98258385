"""JSON becomes tensors and tensors JSON, as TF Serving has it."""

import json

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import meta_graph_pb2

from bdlzoo.serving import json_tensors
from bdlzoo.serving.serving_error import ServingError


def _infos(**dtypes):
    return {name: meta_graph_pb2.TensorInfo(dtype=tf.as_dtype(dtype).as_datatype_enum)
            for name, dtype in dtypes.items()}


def _parse(request, **dtypes):
    body = request if isinstance(request, str) else json.dumps(request)
    return json_tensors.parse(body.encode(), lambda signature: _infos(**dtypes))


def test_rows_and_columns_give_the_same_tensors():
    rows = [[1, 2.5], [3, 4]]
    signature, tensors, by_rows = _parse({"instances": rows}, x="float32")
    assert (signature, by_rows) == ("", True)
    np.testing.assert_array_equal(tensors["x"], np.array(rows, "float32"))
    assert tensors["x"].dtype == np.float32
    signature, tensors, by_rows = _parse(
        {"signature_name": "s", "inputs": {"x": rows, "n": [4]}}, x="float32",
        n="int32")
    assert (signature, by_rows) == ("s", False)
    assert tensors["n"].dtype == np.int32 and tensors["n"].tolist() == [4]
    _, named, _ = _parse({"instances": [{"x": row, "n": 4} for row in rows]},
                         x="float32", n="int32")
    np.testing.assert_array_equal(named["x"], tensors["x"])
    assert named["n"].tolist() == [4, 4]
    assert np.isnan(_parse('{"inputs": [NaN]}', x="float32")[1]["x"]).all()


def test_bytes_come_in_base64():
    for request in ({"instances": [{"b64": "AAE="}]}, {"inputs": [{"b64": "AAE="}]},
                    {"instances": [{"x_bytes": {"b64": "AAE="}}]}):
        assert _parse(request, x_bytes="string")[1]["x_bytes"].tolist() == [b"\0\1"]
    assert _parse({"inputs": ["ä"]}, x="string")[1]["x"].tolist() == ["ä".encode()]


@pytest.mark.parametrize("request_, words", [
    ("", "JSON Parse error"), ("{", "JSON Parse error"), ("[" * 10**5, "JSON Parse"),
    ("[1]", "JSON object"), ({"signature_name": 1, "inputs": [1]}, "signature_name"),
    ({}, "either 'inputs' or 'instances'"),
    ({"inputs": [1], "instances": [1]}, "either"),
    ({"instances": []}, "at least one row"), ({"instances": 3}, "at least one row"),
    ({"inputs": [[1], [2, 3]]}, "same lengths"), ({"inputs": ["a"]}, "float32 in x"),
    ({"inputs": [None]}, "float32 in x"), ({"inputs": [True]}, "float32 in x"),
    ({"inputs": [1e40]}, "can hold"), ({"inputs": [2**24 + 1]}, "can hold"),
    ({"inputs": {"y": [1]}}, "none for"), ({"instances": [{"y": 1}]}, "keys"),
    ({"instances": [{"x": 1}, 2]}, "keys")])
def test_what_is_no_request_is_an_invalid_argument(request_, words):
    with pytest.raises(ServingError, match=words) as raised:
        _parse(request_, x="float32")
    assert raised.value.code == "INVALID_ARGUMENT"


@pytest.mark.parametrize("value, dtype, words", [
    (1.0, "int32", "int32"), (2**31, "int32", "can hold"), (1, "bool", "bool"),
    (3, "string", "strings"), ({"b64": "?"}, "string", "base64"),
    ({"b64": "ü"}, "string", "base64"), ("\ud800", "string", "UTF-8"),
    (10**400, "float32", "float32"), (10**400, "int64", "int64"),
    (-1, "uint8", "can hold")])
def test_types_are_not_bent(value, dtype, words):
    with pytest.raises(ServingError, match=words):
        _parse({"inputs": [value]}, x=dtype)


def test_several_inputs_need_their_names():
    for request in ({"instances": [1.0]}, {"inputs": [1.0]}):
        with pytest.raises(ServingError, match="with the names"):
            _parse(request, x="float32", y="float32")


def test_answers_come_in_the_form_of_the_question():
    outputs = {"p": np.array([[0.1, 0.9], [1, 0]], "float32"),
               "label": np.array([1, 0], "int32")}
    assert json.loads(json_tensors.encode(outputs, True))["predictions"][0] == {
        "p": [float(np.float32(0.1)), float(np.float32(0.9))], "label": 1}
    columns = json.loads(json_tensors.encode(outputs, False))["outputs"]
    np.testing.assert_array_equal(np.array(columns["p"], "float32"), outputs["p"])
    one = {"samples": np.ones([2, 1])}
    assert json.loads(json_tensors.encode(one, True)) == {"predictions": [[1], [1]]}
    assert json.loads(json_tensors.encode(one, False)) == {"outputs": [[1], [1]]}
    strings = {"name": np.array([b"a"], object), "x_bytes": np.array([b"\0"], object)}
    assert json.loads(json_tensors.encode(strings, True)) == {
        "predictions": [{"name": "a", "x_bytes": {"b64": "AA=="}}]}
    assert "NaN" in json_tensors.encode({"x": np.array([np.nan])}, True)


def test_outputs_of_other_lengths_have_no_rows():
    with pytest.raises(ServingError, match="same number of rows") as raised:
        json_tensors.encode({"a": np.ones(2), "b": np.ones(3)}, True)
    assert raised.value.code == "INVALID_ARGUMENT"
