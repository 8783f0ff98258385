"""Tensors of requests are judged before they are made."""

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2, types_pb2
from tensorflow.core.protobuf import meta_graph_pb2

from bdlzoo.serving import tensor_protos
from bdlzoo.serving.limits import Limits
from bdlzoo.serving.serving_error import ServingError

TYPES = ["float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64",
         "uint8", "uint16", "uint32", "uint64", "bool", "complex64", "complex128"]


def _info(dtype, shape=(None, 2)):
    return meta_graph_pb2.TensorInfo(
        dtype=tf.as_dtype(dtype).as_datatype_enum,
        tensor_shape=tf.TensorShape(shape).as_proto())


def _said(dtype, shape=(3, 2), **fields):
    found = tensor_pb2.TensorProto(dtype=tf.as_dtype(dtype).as_datatype_enum, **fields)
    for size in shape:
        found.tensor_shape.dim.add(size=size)
    return found


def _read(tensor, dtype, shape=(None, 2), limits=None):
    return tensor_protos.read("x", tensor, _info(dtype, shape), limits or Limits())


@pytest.mark.parametrize("dtype", TYPES)
def test_numbers_of_every_type_are_read_in_both_forms(dtype):
    kind = tf.as_dtype(dtype).as_numpy_dtype
    array = np.array([[1, 0], [1, 1], [0, 1]]).astype(kind)
    packed = _said(dtype, tensor_content=array.tobytes())
    field = tensor_protos._FIELDS[dtype]
    values = array.view("uint16") if field == "half_val" else array.view(
        array.real.dtype) if array.dtype.kind == "c" else array
    listed = _said(dtype, **{field: values.ravel().tolist()})
    one = _said(dtype, **{field: values.ravel()[:2 if array.dtype.kind == "c" else 1]
                          .tolist()})
    for tensor, expected in ((packed, array), (listed, array),
                             (one, np.full_like(array, array[0, 0]))):
        found = _read(tensor, dtype)
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, expected)
    small = Limits(body_bytes=array.nbytes - 1)
    for tensor in (packed, listed, one):
        with pytest.raises(ServingError, match=f"at most {array.nbytes - 1} bytes"):
            _read(tensor, dtype, limits=small)


@pytest.mark.parametrize("dtype", [*TYPES, "string"])
def test_huge_shapes_are_refused_before_they_are_filled(dtype):
    for shape in ((2**14 + 1, 2), (2**62, 2), (2**63 - 1, 2)):
        with pytest.raises(ServingError, match="rows"):
            _read(_said(dtype, shape, **{tensor_protos._FIELDS[dtype]: [
                b"a" if dtype == "string" else 1]}), dtype)
    with pytest.raises(ServingError, match="bytes in a tensor"):
        _read(_said(dtype, (1, 2**62)), dtype, shape=(None, None))


@pytest.mark.parametrize("tensor, words", [
    (_said("float32", float_val=[1.0] * 7), "Expected 6 values .*Received: 7"),
    (_said("float32"), "Expected 6 values .*Received: 0"),
    (_said("float32", int_val=[1]), "Received: 0"),
    (_said("float32", tensor_content=bytes(20)), "Received: 5"),
    (_said("float32", tensor_content=bytes(25)), "Received: 6.25"),
    (_said("float32", (3, -2), float_val=[1.0]), "shape"),
    (_said("float32", (3,), float_val=[1.0]), "shape"),
    (_said("float32", (1,) * 300, float_val=[1.0]), "shape"),
    (_said("float64", double_val=[1.0]), "Received: DT_DOUBLE"),
    (tensor_pb2.TensorProto(dtype=types_pb2.DT_RESOURCE), "Received: DT_RESOURCE"),
    (tensor_pb2.TensorProto(dtype=999), "Received: type 999")])
def test_what_does_not_fit_is_an_invalid_argument(tensor, words):
    with pytest.raises(ServingError, match=words) as raised:
        _read(tensor, "float32")
    assert raised.value.code == "INVALID_ARGUMENT"


def test_values_out_of_range_and_strange_types():
    for dtype, field in (("uint8", "int_val"), ("int8", "int_val"),
                         ("float16", "half_val")):
        with pytest.raises(ServingError, match=dtype):
            _read(_said(dtype, **{field: [2**20]}), dtype)
    for dtype in ("resource", "variant"):
        with pytest.raises(ServingError, match="numbers or strings"):
            _read(_said(dtype), dtype)
    unknown = tensor_pb2.TensorProto(dtype=1, float_val=[1.0])
    unknown.tensor_shape.unknown_rank = True
    with pytest.raises(ServingError, match="shape"):
        _read(unknown, "float32", shape=None)


def test_any_byte_but_zero_is_true():
    found = _read(_said("bool", tensor_content=bytes([0, 1, 2, 7, 255, 0])), "bool")
    assert found.view("uint8").tolist() == [[0, 1], [1, 1], [1, 0]]


def test_strings_count_with_their_length():
    file = b"a" * 40
    found = _read(_said("string", string_val=[b"b", file]), "string")
    assert found.ravel().tolist() == [b"b"] + [file] * 5
    with pytest.raises(ServingError, match="Received: 240 in x"):
        _read(_said("string", string_val=[file]), "string", limits=Limits(239))
    with pytest.raises(ServingError, match="numbers or strings"):
        _read(_said("string", tensor_content=file), "string")
