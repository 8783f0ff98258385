"""What only a client over HTTP has to care about."""

import socket

import numpy as np
import pytest

from bdlzoo.serving.rest_client import RESTClient


def test_closed_connection_is_opened_again(served, images):
    with RESTClient(served.addresses[RESTClient], "digits", version=1) as client:
        first = client.predict(images)
        client._local.connection.sock.shutdown(socket.SHUT_RDWR)  # As a server may.
        np.testing.assert_array_equal(client.predict(images)["label"], first["label"])


def test_absent_server_is_an_error():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ConnectionError):
        RESTClient(f"127.0.0.1:{port}", "digits", timeout=5).status()
