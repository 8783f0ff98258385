"""Fields of messages are counted as the parser finds them."""

import numpy as np
import pytest
import tensorflow as tf
from google.protobuf import descriptor_pb2, unknown_fields
from hypothesis import given, settings
from hypothesis import strategies as st

from bdlzoo.serving import apis, wire_fields

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
    assert not wire_fields.has_more(sent, message.DESCRIPTOR, count)
    assert wire_fields.has_more(sent, message.DESCRIPTOR, count - 1)


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
    assert wire_fields.has_more(sent, Request.DESCRIPTOR, len(sent)) is False


def test_bytes_that_are_no_message_are_left_to_the_parser():
    for sent in (b"\xff" * 12, b"\x0a", b"\x0a\x05a", b"\x07", b"\x0b"):
        assert not wire_fields.has_more(sent, Request.DESCRIPTOR, 3)
