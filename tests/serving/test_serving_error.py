"""Codes are those of gRPC, statuses those that TF Serving makes of them."""

import grpc
import pytest
import tensorflow as tf

from bdlzoo.serving.serving_error import CODES, ServingError


def test_codes_are_those_of_grpc_in_its_order():
    assert CODES == tuple(code.name for code in sorted(
        grpc.StatusCode, key=lambda code: code.value[0]))


@pytest.mark.parametrize("code, status", [
    ("INVALID_ARGUMENT", 400), ("FAILED_PRECONDITION", 400), ("NOT_FOUND", 404),
    ("RESOURCE_EXHAUSTED", 429), ("UNIMPLEMENTED", 501), ("UNAVAILABLE", 503),
    ("DEADLINE_EXCEEDED", 504), ("INTERNAL", 500)])
def test_statuses(code, status):
    error = ServingError(code, "no")
    assert error.http_status == status and str(error) == f"{code}: no"
    assert ServingError.of_http(status, "no").http_status == status


def test_statuses_with_several_codes_are_the_usual_one():
    assert ServingError.of_http(400, "").code == "INVALID_ARGUMENT"
    assert ServingError.of_http(500, "").code == "INTERNAL"
    assert ServingError.of_http(418, "").code == "UNKNOWN"


def test_errors_of_tensorflow_keep_their_code():
    error = tf.errors.ResourceExhaustedError(None, None, "no room")
    told = ServingError.of_tensorflow(error)
    assert (told.code, told.message) == ("RESOURCE_EXHAUSTED", "no room")
