"""Requests are read as RFC 9112 has them, or not at all."""

import socket

import pytest

from bdlzoo.serving import http_messages
from bdlzoo.serving.http_messages import Answer, FramingError, Stream
from bdlzoo.serving.serving_error import ServingError

HEAD = b"POST /a?b HTTP/1.1\r\nHost: h\r\n"


@pytest.fixture
def stream():
    """Makes the stream of bytes, whose sender has ended or not."""
    sockets = []

    def make(sent, ended=True):
        ours, theirs = socket.socketpair()
        sockets.extend((ours, theirs))
        ours.sendall(sent)
        if ended:
            ours.shutdown(socket.SHUT_WR)
        return Stream(theirs)

    yield make
    for each in sockets:
        each.close()


def test_heads_and_bodies_follow_each_other(stream):
    found = stream(b"\r\n" + HEAD + b"X-A:  1 \r\nx-a: 2\r\n"
                   b"Content-Length: 3\r\n\r\nabc"
                   b"GET /next HTTP/1.0\nContent-Length: 0\n\n")
    first = http_messages.read_head(found)
    assert first == ("POST", "/a?b", {"host": "h", "x-a": "1, 2",
                                      "content-length": "3"}, True, 3)
    taken = []
    assert http_messages.read_body(found, first, 3, taken.append) == b"abc"
    assert sum(taken) == 3
    second = http_messages.read_head(found)
    assert (second.target, second.keeps, second.size) == ("/next", False, 0)
    assert not found.wait(1)


def test_chunks_are_joined(stream):
    found = stream(HEAD + b"Transfer-Encoding: Chunked\r\n\r\n"
                   b"3\r\nabc\r\nA ;x=y\r\n0123456789\r\n0\r\nT: u\r\n\r\nGET")
    request = http_messages.read_head(found)
    assert request.size is None
    assert http_messages.read_body(found, request, 13) == b"abc0123456789"
    assert found.exactly(3) == b"GET"


@pytest.mark.parametrize("size, chunks", [
    (None, b"a\r\n0123456789\r\n1\r\n"), (None, b"ffffffff\r\n"), (11, b"")])
def test_too_large_a_body_is_not_read(stream, size, chunks):
    kind = b"Transfer-Encoding: chunked" if size is None else b"Content-Length: 11"
    found = stream(HEAD + kind + b"\r\n\r\n" + chunks, ended=False)
    request = http_messages.read_head(found)
    with pytest.raises(ServingError, match="at most 10 bytes") as raised:
        http_messages.read_body(found, request, 10)
    assert raised.value.http_status == 429 and raised.value.closes


def test_slow_client_is_told(stream, monkeypatch):
    monkeypatch.setattr(http_messages, "_HEAD_SECONDS", 0.05)
    with pytest.raises(FramingError, match="in time") as raised:
        http_messages.read_head(stream(HEAD, ended=False))
    assert raised.value.http_status == 408
    with pytest.raises(FramingError, match="a part of it") as raised:
        http_messages.read_head(stream(HEAD))
    assert raised.value.http_status == 400


@pytest.mark.parametrize("closing, keeps", [
    (b"", True), (b"Connection: close\r\n", False), (b"Connection: Close\r\n", False)])
def test_client_says_whether_it_goes_on(stream, closing, keeps):
    found = http_messages.read_head(stream(
        b"GET / HTTP/1.1\r\nHost: h\r\n" + closing + b"\r\n"))
    assert found.keeps == keeps


def test_answers_say_their_size_and_kind():
    answer = Answer(404, "application/json", b'{"error": "no"}', (("X-A", "b"),))
    assert http_messages.written(answer, keeps=False).split(b"\r\n") == [
        b"HTTP/1.1 404 Not Found", b"Content-Type: application/json",
        b"Content-Length: 15", b"X-Content-Type-Options: nosniff",
        b"Connection: close", b"X-A: b", b"", b'{"error": "no"}']
    head = http_messages.written(answer, keeps=True, with_body=False)
    assert head.endswith(b"\r\n\r\n") and b"Content-Length: 15" in head


@pytest.mark.parametrize("lines, words", [
    (b"Content-Length: -1", "whole number"), (b"Content-Length: +9", "whole number"),
    (b"Content-Length: 5\r\nContent-Length: 5", "one header content-length"),
    (b"Transfer-Encoding: chunked\r\nContent-Length: 5", "Content-Length: 5"),
    (b"Host: h", "one header host"), (b"Transfer-Encoding: gzip", "chunked"),
    (b"X: a\r\n folded", "headers"), (b"X : a", "headers"), (b"X-A: b", "none")])
def test_heads_that_leave_the_end_open_are_refused(stream, lines, words):
    with pytest.raises(FramingError, match=words) as raised:
        http_messages.read_head(stream(HEAD + lines + b"\r\n\r\n"))
    assert raised.value.closes


def test_chunk_that_is_longer_than_it_says_is_refused(stream):
    found = stream(HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n")
    with pytest.raises(FramingError, match="chunk of 2 bytes"):
        http_messages.read_body(found, http_messages.read_head(found), 10)
