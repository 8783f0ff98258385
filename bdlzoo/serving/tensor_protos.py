"""Conversion of a `TensorProto` to an array, after its size is judged.

One value of a `TensorProto` may stand for all that follow, so that a few bytes can say
a tensor of any size. Type, shape and number of values are compared with the signature
and with the limits before an array is made.
"""

import math

import tensorflow as tf
from tensorflow.core.framework import types_pb2

from bdlzoo.serving.serving_error import ServingError

_WHOLE = ("int32", "int16", "int8", "uint16", "uint8", "qint32", "qint16", "qint8",
          "quint16", "quint8")
_FIELDS = {"float32": "float_val", "float64": "double_val", "int64": "int64_val",
           "bool": "bool_val", "float16": "half_val", "bfloat16": "half_val",
           "uint32": "uint32_val", "uint64": "uint64_val", "string": "string_val",
           "complex64": "scomplex_val", "complex128": "dcomplex_val",
           **dict.fromkeys(_WHOLE, "int_val")}


def read(name, tensor, info, limits):
    """Reads an input of a request.

    Args:
        name: String, name of the input.
        tensor: `TensorProto`.
        info: `TensorInfo` of the signature.
        limits: `Limits` of the server.

    Returns:
        Array.
    """
    dtype = tf.as_dtype(info.dtype)
    if tensor.dtype != info.dtype:
        raise _invalid(f"Expected {dtype.name} in input {name}. Received: "
                       f"{_type_name(tensor.dtype)}")
    shape = _shape(name, tensor, info)
    text = dtype == tf.string
    # A string that stands for many is there once; TensorFlow copies it.
    longest = len(tensor.string_val[-1]) if text and tensor.string_val else 0
    limits.check_shape(name, shape, max(1, longest) if text else dtype.size)
    count = math.prod(shape)
    field = _FIELDS.get(dtype.name)
    if field is None or (tensor.tensor_content and text):
        raise _invalid(f"Expected numbers or strings in input {name}. Received: "
                       f"{_type_name(tensor.dtype)}")
    given = len(getattr(tensor, field))
    if dtype.is_complex:  # Pairs of numbers.
        given = given / 2
    if tensor.tensor_content:
        given = len(tensor.tensor_content) / dtype.size
    if given != count and (tensor.tensor_content or not 1 <= given <= count):
        raise _invalid(f"Expected {count} values in input {name}, or one for all. "
                       f"Received: {given:g}, shape={shape}")
    try:
        array = tf.make_ndarray(tensor)
    except (TypeError, ValueError, OverflowError) as error:
        raise _invalid(f"Expected values of {dtype.name} in input {name}. Received: "
                       f"{error}") from error
    # Any byte but 0 is true, and must become a 1.
    return array.view("uint8") != 0 if dtype == tf.bool else array


def _shape(name, tensor, info):
    """Tuple of integers that fits the signature."""
    expected = tf.TensorShape(info.tensor_shape)
    shape = tuple(dim.size for dim in tensor.tensor_shape.dim)
    if tensor.tensor_shape.unknown_rank or min(shape, default=0) < 0 or (
            not expected.is_compatible_with(shape)):
        raise _invalid(f"Expected input {name} in the shape {expected}. Received: "
                       f"shape={shape[:20]}")
    return shape


def _type_name(number):
    known = types_pb2.DataType.values()
    return types_pb2.DataType.Name(number) if number in known else f"type {number}"


def _invalid(message):
    return ServingError("INVALID_ARGUMENT", message)
