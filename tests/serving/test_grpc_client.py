"""What only a client over gRPC has to care about."""

import socket

import pytest

from bdlzoo.serving.grpc_client import GRPCClient
from bdlzoo.serving.serving_error import ServingError


def test_absent_server_is_unavailable():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with GRPCClient(f"127.0.0.1:{port}", "digits", timeout=5) as client:
        with pytest.raises(ServingError) as raised:
            client.status()
    assert raised.value.code == "UNAVAILABLE"
