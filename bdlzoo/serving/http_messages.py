"""Reads requests of HTTP/1.1 and writes answers, strictly as RFC 9112 has them.

Where a request ends must never be a guess: what is wrong in a head or in the framing
of a body is a `FramingError`, after which a connection cannot be used any more.
"""

import http.client
import re
import time
import typing

from bdlzoo.serving.serving_error import ServingError

_LINE_BYTES, _HEAD_BYTES, _MOST_HEADERS, _MOST_EMPTY = 2**14, 2**16, 100, 4
_HEAD_SECONDS, _BODY_SECONDS, _BYTES_A_SECOND = 20, 30, 2**18
_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_FIRST = re.compile(rb"(%s) ([\x21-\x7e\x80-\xff]+) HTTP/([0-9])\.([0-9])" % _TOKEN)
_HEADER = re.compile(rb"(%s):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*" % _TOKEN)
_SIZE = re.compile(r"[0-9]{1,18}")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?")
_ONCE = ("content-length", "transfer-encoding", "host")


class FramingError(ServingError):
    """Error of a request whose end is not known.

    Args:
        status: Integer, status of the answer.
        message: String, description of the error.
    """

    def __init__(self, status, message):
        super().__init__("INVALID_ARGUMENT", message, closes=True)
        self._status = status

    @property
    def http_status(self):
        return self._status


class Request(typing.NamedTuple):
    """Head of a request."""

    verb: str
    target: str
    headers: dict  # Names are in lower case.
    keeps: bool  # Whether the client uses the connection again.
    size: int | None  # Bytes of the body; `None` if it comes in chunks.


class Answer(typing.NamedTuple):
    """What a request is answered with."""

    status: int
    kind: str
    body: bytes
    headers: tuple = ()
    closes: bool = False  # Whether the connection cannot be used any more.


class Stream:
    """Bytes that come over a socket, with a deadline.

    Args:
        connection: Socket.
    """

    def __init__(self, connection):
        self._connection = connection
        self._buffer = bytearray()
        self._deadline = 0.0

    def wait(self, seconds):
        """Waits for a byte; returns whether there is one."""
        self.allow(seconds)
        try:
            return bool(self._buffer) or self._receive()
        except FramingError:
            return False

    def allow(self, seconds):
        """Sets the time until which all that follows must be there."""
        self._deadline = time.monotonic() + seconds

    def line(self, most, status=431):
        """A line without its end; a longer one is an error with this status."""
        while (end := self._buffer.find(b"\n")) < 0 and len(self._buffer) <= most:
            self._need()
        if not 0 <= end <= most:
            raise FramingError(status, f"Expected lines of at most {most} bytes. "
                               "Received: a longer one")
        return self._taken(end + 1)[:-1].removesuffix(b"\r")

    def exactly(self, size, taken=lambda count: None):
        """Bytes of a known number; `taken` is told how many have come."""
        parts = [self._taken(size)]
        missing = size - len(parts[0])
        taken(len(parts[0]))
        while missing:
            self._need()
            parts.append(self._taken(missing))
            taken(len(parts[-1]))
            missing -= len(parts[-1])
        return b"".join(parts)

    def _taken(self, size):
        found = bytes(self._buffer[:size])
        del self._buffer[:size]
        return found

    def _need(self):
        if not self._receive():
            raise FramingError(400, "Expected a whole request. Received: a part of it")

    def _receive(self):
        left = self._deadline - time.monotonic()
        if left > 0:
            self._connection.settimeout(left)
            try:
                found = self._connection.recv(2**16)
                self._buffer += found
                return bool(found)
            except TimeoutError:
                pass
        raise FramingError(408, "Expected the rest of the request in time. Received: "
                           "a part of it")


def read_head(stream):
    """Reads the head of a request, a `Request`, from a `Stream`."""
    stream.allow(_HEAD_SECONDS)
    for _ in range(_MOST_EMPTY):
        if first := stream.line(_LINE_BYTES, 414):
            break
    found = _FIRST.fullmatch(first)
    if found is None:
        raise FramingError(400, "Expected a request such as GET / HTTP/1.1. Received: "
                           f"{first[:80].decode('latin-1')!r}")
    verb, target, major, minor = (part.decode(errors="replace")
                                  for part in found.groups())
    if major != "1":
        raise FramingError(505, f"Expected HTTP/1.1. Received: HTTP/{major}.{minor}")
    headers = _headers(stream)
    modern = minor != "0"
    if modern and "host" not in headers:
        raise FramingError(400, "Expected a header Host. Received: none")
    asked = headers.get("connection", "").lower()
    return Request(verb, target, headers, modern and "close" not in asked,
                   _body_size(verb, headers, modern))


def _headers(stream):
    headers, size = {}, 0
    while line := stream.line(_LINE_BYTES):
        found, size = _HEADER.fullmatch(line), size + len(line)
        if found is None:
            raise FramingError(400, "Expected headers such as Host: localhost. "
                               f"Received: {line[:80].decode('latin-1')!r}")
        name, value = (part.decode("latin-1") for part in found.groups())
        name = name.lower()
        if name in headers and name in _ONCE:
            raise FramingError(400, f"Expected one header {name}. Received: several")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
        if len(headers) > _MOST_HEADERS or size > _HEAD_BYTES:
            raise FramingError(431, f"Expected at most {_MOST_HEADERS} headers of "
                               f"{_HEAD_BYTES} bytes together. Received: more")
    return headers


def _body_size(verb, headers, modern):
    """Bytes of the body; `None` if it comes in chunks."""
    told, coding = (headers.get(name) for name in _ONCE[:2])
    if coding is not None:
        if told is not None or not modern:
            raise FramingError(400, "Expected Content-Length or, in HTTP/1.1, Transfer-"
                               "Encoding: chunked. Received: "
                               f"Transfer-Encoding: {coding[:80]}, with "
                               f"Content-Length: {told and told[:80]}")
        if coding.lower() != "chunked":
            raise FramingError(501, "Expected Transfer-Encoding: chunked. Received: "
                               f"{coding[:80]!r}")
        return None
    if told is None:
        if verb == "POST":
            raise FramingError(411, "Expected the header Content-Length. Received: "
                               "none")
        return 0
    if not _SIZE.fullmatch(told):
        raise FramingError(400, "Expected a whole number as Content-Length. Received: "
                           f"{told[:80]!r}")
    return int(told)


def read_body(stream, request, most, taken=lambda count: None):
    """Reads the body of a request.

    Args:
        stream: `Stream` whose head was read.
        request: `Request` that `read_head` returned.
        most: Integer, largest number of bytes.
        taken: Function that is told the number of bytes that have come.

    Returns:
        Bytes.
    """
    stream.allow(_BODY_SECONDS + (
        most if request.size is None else min(request.size, most)) / _BYTES_A_SECOND)
    if request.size is not None:
        check_size(request.size, most)
        return stream.exactly(request.size, taken)
    parts, total = [], 0
    while True:
        line = stream.line(_LINE_BYTES, 400)
        found = _CHUNK.fullmatch(line)
        if found is None:
            raise FramingError(400, "Expected the size of a chunk. Received: "
                               f"{line[:80].decode('latin-1')!r}")
        size = int(found[1], 16)
        if not size:
            _headers(stream)  # Those behind the body are not used.
            return b"".join(parts)
        total += size
        check_size(total, most)
        parts.append(stream.exactly(size, taken))
        if stream.exactly(2) != b"\r\n":
            raise FramingError(400, f"Expected a chunk of {size} bytes. Received: more")


def check_size(size, most):
    """Raises an error if a body has too many bytes."""
    if size > most:
        raise ServingError("RESOURCE_EXHAUSTED", f"Expected at most {most} bytes. "
                           f"Received: {size}", closes=True)


def written(answer, keeps, with_body=True):
    """Bytes of an `Answer`.

    Args:
        answer: `Answer`.
        keeps: Bool, whether the connection can be used again.
        with_body: Bool; an answer to HEAD has only the size of its body.
    """
    reason = http.client.responses.get(answer.status, "Error")
    lines = [f"HTTP/1.1 {answer.status} {reason}",
             f"Content-Type: {answer.kind}", f"Content-Length: {len(answer.body)}",
             "X-Content-Type-Options: nosniff",
             f"Connection: {'keep-alive' if keeps else 'close'}",
             *(f"{name}: {value}" for name, value in answer.headers)]
    head = "\r\n".join(lines).encode() + b"\r\n\r\n"
    return head + answer.body if with_body else head
