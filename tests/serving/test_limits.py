"""Limits hold up to their number, and not one further."""

import numpy as np
import pytest

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
