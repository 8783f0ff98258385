"""Limits hold up to their number, and not one further."""

import json
import tracemalloc

import numpy as np
import pytest
from tensorflow.core.protobuf import meta_graph_pb2

from bdlzoo.serving.limits import Limits
from bdlzoo.serving.serving_error import ServingError
from tests.serving.fuzz_rest import png

LIMITS = Limits(body_bytes=96, rows=4, row_draws=12, pixels=100)


def _rows(count):
    return {"inputs": np.zeros((count, 2), "float32")}


@pytest.mark.parametrize("inputs, draws", [
    (_rows(4), 3), (_rows(1), 12), ({"n": np.int32(1)}, 12), ({}, 12),
    ({"x": np.zeros((1, 12))}, 1),
    ({"files": np.array([png(5, 10), png(10, 5), b"text"], object)}, 1)])
def test_what_is_at_the_limit_is_allowed(inputs, draws):
    LIMITS.check(inputs, draws)


@pytest.mark.parametrize("inputs, draws, words", [
    (_rows(5), 1, "at most 4 rows .*Received: 5 in inputs"),
    (_rows(4), 4, "at most 12 rows times draws .*Received: 4 x 4"),
    (_rows(1), 13, "at most 12 rows times draws"),
    ({"x": np.zeros((1, 13))}, 1, "at most 96 bytes in a tensor .*104 in x"),
    ({"files": np.array([png(5, 10), png(3, 17)], object)}, 1,
     "at most 100 pixels .*Received: 101"),
    # One file that stands for all rows counts for each of them.
    ({"files": np.array([png(5, 7)] * 3, object)}, 1, "at most 100 pixels .*105")])
def test_what_is_above_the_limit_is_refused(inputs, draws, words):
    with pytest.raises(ServingError, match=words) as raised:
        LIMITS.check(inputs, draws)
    assert raised.value.code == "INVALID_ARGUMENT"


def test_shapes_are_judged_without_their_tensor():
    LIMITS.check_shape("x", (4, 6), 4)
    for shape in ((4, 7), (2**62, 2**62), (4, 2**80)):
        with pytest.raises(ServingError, match="at most"):
            LIMITS.check_shape("x", shape, 4)


def _info(*shape, dtype=1):
    info = meta_graph_pb2.TensorInfo(dtype=dtype)
    for size in shape:
        info.tensor_shape.dim.add(size=size)
    return info


@pytest.mark.parametrize("output, sizes, most", [
    (_info(-1, 10), (3,), 120), (_info(-1, -1, 10), (3,), 600),  # Five draws.
    (_info(-1, dtype=9), (3,), 24), (_info(-1, 7), (), 140), (_info(4, 2), (9,), 32),
    (_info(-1, -1, -1, 2), (3, 8, 6), 1152), (_info(-1, 2), (3, 8, 6), 24),
    (_info(-1, -1, -1, -1, 2), (3, 8, 6), 5760)])
def test_answers_are_judged_before_they_are_computed(output, sizes, most):
    outputs = {"small": _info(1, dtype=4), "large": output}
    Limits(answer_bytes=most).check_answer(outputs, sizes, 5)
    with pytest.raises(ServingError, match=f"of the answer .*Received: {most} in larg"):
        Limits(answer_bytes=most - 1).check_answer(outputs, sizes, 5)


def _json(row):
    """A list of a thousand of these, and the bytes that it takes once it is parsed."""
    body = b"[" + b",".join(row(number) for number in range(1000)) + b"]"
    tracemalloc.start()
    found = json.loads(body)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found) == 1000
    return body, taken


@pytest.mark.parametrize("row", [
    lambda number: b"[]", lambda number: b"{}", lambda number: b"1.5",
    lambda number: b"[0.5]", lambda number: b"[[],[[]]]", lambda number: b'{"":1}',
    lambda number: b'{"a":%d.5,"b":[]}' % number,
    lambda number: b'{"%d":""}' % number, lambda number: b"123456789012",
    lambda number: b'"\xc3\xa9%d"' % number, lambda number: b"[[[0.25,1,0.75,4.5]]]",
    lambda number: b'"%d\\ud83d\\ude00%s"' % (number, 900 * b"a"),
    lambda number: b'{"b64":"%s"}' % (b"%d" % number * 900)])
def test_json_never_takes_more_memory_than_it_is_judged_by(row):
    body, taken = _json(row)
    assert taken > len(body)
    with pytest.raises(ServingError, match="bytes in memory") as raised:
        Limits(body_bytes=(taken - 1) // 8).check_json(body)
    assert raised.value.code == "RESOURCE_EXHAUSTED"


def test_json_of_numbers_may_be_as_large_as_a_body():
    body = json.dumps({"instances": np.random.default_rng(0).normal(
        size=(99, 64)).tolist()}).encode()
    Limits(body_bytes=len(body)).check_json(body)
