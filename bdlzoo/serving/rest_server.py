"""REST server of a `ModelServer`, for clients on this machine.

A thread answers the requests of a connection one by one; `rest_answers` has the
answers. A connection whose framing was wrong is closed, since its next byte may be
anything. Before the server ends, it answers what it has accepted.
"""

import contextlib
import re
import selectors
import socket
import threading
import time

from absl import logging

from bdlzoo.serving import http_messages, rest_answers
from bdlzoo.serving.serving_error import ServingError

_PATIENCE = 60  # Seconds until an idle connection is closed.
_LINGER = 0.5  # Seconds in which an idle connection may still send a request.
_DISCARD = 2  # Seconds in which the rest of a refused request is read.
_BODIES = 4  # Largest bodies that may be in memory at once.
_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_HOST = re.compile(r"(\[[0-9a-f:.]*\]|[^:\[\]]*)(?::[0-9]{0,5})?")


class RESTServer:
    """Answers requests over HTTP on the loopback interface.

    Args:
        models: `ModelServer` that has the models.
        port: Integer; 0 takes a free port, which the property `port` then returns.
        hosts: Tuple of strings, further names in the header `Host` under which the
            server may be asked; `"*"` allows all. A page of a stranger can point its
            own name to this machine, so that other names are refused.
    """

    def __init__(self, models, port=0, hosts=()):
        self.models = models
        self._hosts = {host.lower() for host in (*_HOSTS, *hosts)}
        try:
            self._listener = socket.create_server(("127.0.0.1", port), backlog=128)
        except (OSError, OverflowError) as error:
            raise OSError("Expected a free port for REST: choose one with "
                          f"--rest_api_port. Received: port={port}") from error
        self._port = self._listener.getsockname()[1]
        self._wake, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._lock = threading.Lock()
        self._connections = {}  # In the order of their begin.
        self._room = _Room(_BODIES * models.limits.body_bytes)
        self.draining = False

    @property
    def port(self):
        """Port of the server."""
        return self._port

    def start(self):
        self._thread.start()

    def stop(self, grace=1.0):
        """Accepts no more connections, answers what was accepted, then ends.

        Args:
            grace: Float, seconds after which requests are dropped.

        Returns:
            Number of requests that were dropped.
        """
        begin = time.monotonic()
        self.draining = True
        self._wake.close()
        if self._thread.ident is not None:
            self._thread.join()
        self._listener.close()
        while (left := self._open()) and time.monotonic() - begin < grace:
            if time.monotonic() - begin > _LINGER:
                for each in left:
                    if each.idle:
                        each.end_reading()
            time.sleep(0.01)
        for each in left:
            each.close()
        return sum(not each.idle for each in left)

    def allows(self, host):
        """Whether a `Host` names this server, or one of the names it was given."""
        found = _HOST.fullmatch(host.lower())
        return "*" in self._hosts or bool(found) and found[1] in self._hosts

    @contextlib.contextmanager
    def room(self):
        """Gives a function that waits until so many more bytes fit into memory."""
        taken = []

        def take(size):
            self._room.take(size)
            taken.append(size)

        try:
            yield take
        finally:
            self._room.give(sum(taken))

    def forget(self, connection):
        """Takes a closed connection from the list."""
        with self._lock:
            self._connections.pop(connection, None)

    def _open(self):
        with self._lock:
            return list(self._connections)

    def _accept(self):
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while not self.draining:
                if any(key.fileobj is self._listener for key, _ in selector.select()):
                    self._take()
        self._listener.setblocking(False)
        while self._take():  # Those that have connected already.
            pass

    def _take(self):
        """Accepts one connection; returns whether there was one."""
        try:
            accepted, _ = self._listener.accept()
        except BlockingIOError:
            return False
        except OSError as error:  # Such as too many open files.
            logging.warning("A connection was not accepted: %s", error)
            time.sleep(0.1)
            return not self.draining
        connection = _Connection(self, accepted)
        if not self._has_place():
            connection.refuse()
            return True
        with self._lock:
            self._connections[connection] = True
        threading.Thread(target=connection.run, daemon=True).start()
        return True

    def _has_place(self):
        """Whether there may be one more connection; an idle one makes room."""
        now = self._open()
        if len(now) < self.models.limits.connections:
            return True
        for each in now:
            if each.idle:
                each.end_reading()
                self.forget(each)
                return True
        return False


class _Room:
    """Counts the bytes of bodies in memory."""

    def __init__(self, most):
        self._left, self._changed = most, threading.Condition()

    def take(self, size):
        with self._changed:
            if not self._changed.wait_for(lambda: self._left >= size, timeout=10):
                raise ServingError(
                    "UNAVAILABLE", "Expected room for the body of the request: send it "
                    f"later. Received: {size} bytes more", closes=True)
            self._left -= size

    def give(self, size):
        with self._changed:
            self._left += size
            self._changed.notify_all()


class _Connection:
    """Reads the requests of one connection, and answers them in turn."""

    def __init__(self, server, connection):
        self._server, self._socket = server, connection
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream = http_messages.Stream(connection)
        self.idle = True

    def run(self):
        try:
            while self._stream.wait(_PATIENCE):
                self.idle = False
                goes_on = self._answer_one()
                self.idle = True
                if not goes_on:
                    self._discard()
                    break
        except OSError:  # The client is gone.
            pass
        except Exception:  # The server keeps running.
            logging.exception("A connection failed")
        finally:
            self.close()
            self._server.forget(self)

    def end_reading(self):
        """Ends the wait for a request; one that has come is answered."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RD)

    def close(self):
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def refuse(self):
        """Says that there are too many connections."""
        with contextlib.suppress(OSError):
            self._send(rest_answers.of_error(ServingError(
                "UNAVAILABLE", "Expected at most "
                f"{self._server.models.limits.connections} connections: try again "
                "later. Received: one more")), keeps=False)
            self._discard(0.05)
        self._socket.close()

    def _answer_one(self):
        """Answers a request; returns whether there may be a next one."""
        server, verb = self._server, ""
        with server.room() as take:
            try:
                request = http_messages.read_head(self._stream)
                verb = request.verb
                self._check_origin(request.headers)
                if request.size is not None:
                    http_messages.check_size(
                        request.size, server.models.limits.body_bytes)
                if request.headers.get("expect", "").lower() == "100-continue":
                    self._socket.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                body = http_messages.read_body(
                    self._stream, request, server.models.limits.body_bytes, take)
            except ServingError as error:
                self._send(rest_answers.of_error(error), False, verb)
                return False
            answer = rest_answers.answer(server.models, request, body)
        keeps = request.keeps and not answer.closes and not server.draining
        self._send(answer, keeps, verb)
        return keeps

    def _check_origin(self, headers):
        """Raises an error if a page of a stranger sends the request."""
        origin = headers.get("origin")
        names = [("Host", headers["host"])] if "host" in headers else []
        if origin is not None:
            names.append(("Origin", origin.partition("://")[2]))
        for header, name in names:
            if not self._server.allows(name):
                raise ServingError(
                    "PERMISSION_DENIED", f"Expected a {header} of this machine, or one "
                    f"of --allowed_hosts. Received: {headers[header.lower()][:80]}",
                    closes=True)

    def _send(self, answer, keeps, verb=""):
        self._socket.settimeout(_PATIENCE)
        self._socket.sendall(http_messages.written(answer, keeps, verb != "HEAD"))

    def _discard(self, seconds=_DISCARD):
        """Reads what comes, since closing earlier would take back the answer."""
        self._socket.shutdown(socket.SHUT_WR)
        end = time.monotonic() + seconds
        with contextlib.suppress(OSError):
            while (left := end - time.monotonic()) > 0:
                self._socket.settimeout(left)
                if not self._socket.recv(2**16):
                    break
