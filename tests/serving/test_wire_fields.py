"""Fields of messages are counted as the parser finds them."""

import numpy as np
import pytest
import tensorflow as tf
from google.protobuf import descriptor_pb2, unknown_fields
from hypothesis import given, settings
from hypothesis import strategies as st

from bdlzoo.serving import apis, wire_fields
from bdlzoo.serving.limits import Limits
from bdlzoo.serving.serving_error import ServingError

Request = apis.predict_pb2.PredictRequest


def _request():
    request = Request()
    request.model_spec.name = "digits"
    request.model_spec.version.value = 300  # A varint of two bytes.
    request.output_filter.extend(["label", "mean"])
    for name, value in (("x", np.zeros((2, 3), "float32")), ("word", [b"a", b"b"]),
                        ("size", np.arange(3))):
        request.inputs[name].CopyFrom(tf.make_tensor_proto(value))
    request.inputs["size"].int64_val.extend(range(500))  # Packed: one field.
    return request


def _count(message):
    """Fields of a message and of its parts, by the parser of protobuf."""
    found = len(unknown_fields.UnknownFieldSet(message))
    for field, value in message.ListFields():
        if field.message_type is None:
            packed = field.is_repeated and not isinstance(value[0], (str, bytes))
            found += 1 if packed or not field.is_repeated else len(value)
        elif field.message_type.GetOptions().map_entry:
            found += sum(3 + _count(value[key]) for key in value)  # Entry, key, value.
        else:
            parts = list(value) if field.is_repeated else [value]
            found += len(parts) + sum(map(_count, parts))
    return found


def _check(message):
    sent, count = message.SerializeToString(), _count(message)
    for most in (count, count + 1):
        assert wire_fields.count(sent, message.DESCRIPTOR, most, 2**30)[0] == count
    assert wire_fields.count(sent, message.DESCRIPTOR, 5, 2**30)[0] == 6


def test_a_request_has_as_many_fields_as_its_parser_finds():
    _check(_request())


@pytest.mark.parametrize("more", [
    b"\xfd\x07\x01\x02\x03\x04",  # Four bytes in field 127.
    b"\xf9\x07" + bytes(8), b"\xf8\x07\x05", b"\xfa\x07\x02ab"])
def test_fields_that_are_not_known_count(more):
    _check(Request.FromString(_request().SerializeToString() + more))


def test_parts_of_parts_count():
    file = descriptor_pb2.FileDescriptorProto()
    apis.predict_pb2.DESCRIPTOR.CopyToProto(file)
    _check(file)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_bytes_of_any_kind_are_counted_to_an_end(sent):
    assert wire_fields.count(
        sent, Request.DESCRIPTOR, len(sent), 8 * len(sent))[0] <= len(sent)


def test_bytes_that_are_no_message_are_left_to_the_parser():
    for sent in (b"\xff" * 12, b"\x0a", b"\x0a\x05a", b"\x07", b"\x0b"):
        assert wire_fields.count(sent, Request.DESCRIPTOR, 3, 9)[0] <= 3


@pytest.mark.parametrize("field, values, width", [
    ("int64_val", [1, 300, -1, 2**40], 8), ("uint64_val", [0, 2**63], 8),
    ("int_val", [5, -5, 127, 128], 4), ("half_val", [9, 9, 9], 4),
    ("uint32_val", [2**31], 4), ("bool_val", [True] * 40, 0),
    ("float_val", [1.0] * 40, 0), ("tensor_content", b"ab" * 40, 0),
    ("dcomplex_val", [1.0, 2.0], 0)])
def test_whole_numbers_are_counted_in_bytes_of_memory(field, values, width):
    request = Request()
    for name in ("one", "other"):
        tensor = request.inputs[name]
        if field == "tensor_content":
            tensor.tensor_content = values
        else:
            getattr(tensor, field).extend(values)
    sent = request.SerializeToString()
    found = wire_fields.count(sent, Request.DESCRIPTOR, 99, 2**30)
    assert found == (_count(request), 2 * width * len(values))
    assert wire_fields.count(sent, Request.DESCRIPTOR, 99, 0)[1] <= found[1]


def _written(number, content):
    """A field of bytes as it is sent."""
    size, head = len(content), bytes([number << 3 | 2])
    while size > 127:
        head, size = head + bytes([size & 127 | 128]), size >> 7
    return head + bytes([size]) + content


def _hostile(size):
    """Requests of about so many bytes that take most memory, by name."""
    def of(tensor):
        return _written(2, _written(1, b"x") + _written(2, tensor))

    return {"int64": of(_written(10, b"\x01" * size)),
            "int64 in pieces": of(_written(10, b"\x01" * (size // 8)) * 8),
            "int": of(_written(7, b"\x01" * size)),
            "half": of(_written(13, b"\x01" * size)),
            "strings": of(_written(8, b"") * (size // 2)),
            "dimensions": of(_written(2, _written(2, b"") * (size // 2))),
            "tensors": of(_written(15, _written(3, b"") * (size // 2))),
            "inputs": _written(2, b"") * (size // 2),
            "unknown": of(_written(9, b"") * (size // 2))}


ALLOWED = {"int64": 2**20, "int64 in pieces": 2**20, "int": 2**21, "half": 2**21}


@pytest.mark.parametrize("name", _hostile(0))
def test_messages_take_no_more_memory_than_is_allowed(name):
    """Sent as they are, these take 6 to 50 times their bytes."""
    limits = Limits(body_bytes=2**23, fields=2**14)
    with pytest.raises(ServingError, match="at most (16384 fields|8388608 bytes of )"):
        limits.check_fields(_hostile(2**23)[name], Request.DESCRIPTOR)
    # As many as may be: the parser takes twice their memory, while an array grows.
    sent = _hostile(ALLOWED.get(name, 2**14))[name]
    limits.check_fields(sent, Request.DESCRIPTOR)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # The peak starts again.
    before = _peak()
    Request.FromString(sent)
    assert _peak() - before < 3 * limits.body_bytes


def _peak():
    """Largest memory of this process so far, in bytes."""
    with open("/proc/self/status") as file:
        [line] = [line for line in file if line.startswith("VmHWM")]
    return 1024 * int(line.split()[1])
