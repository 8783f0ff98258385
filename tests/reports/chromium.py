"""Headless Chromium, spoken to through a pipe.

`--remote-debugging-pipe` reads commands on file descriptor 3 and answers on 4:
JSON, each message ended by a zero byte. No port is opened and no package is
needed.
"""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

_FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu",
          "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
          "--disable-background-networking", "--remote-debugging-pipe")
_INSTALL_SECONDS = 240
# Puts the pipes where Chromium looks for them; by way of high numbers, since the
# one may stand where the other shall go.
_LAUNCH = """
import fcntl, os, sys
high = [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3]]
os.dup2(high[0], 3)
os.dup2(high[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def find():
    """Path of Chromium, and why there is none; installs it where it may."""
    if shutil.which("chromium"):
        return shutil.which("chromium"), ""
    if os.environ.get("BDLZOO_INSTALL_CHROMIUM") == "0":
        return None, "chromium is not there, BDLZOO_INSTALL_CHROMIUM=0"
    if not (shutil.which("apt-get") and os.geteuid() == 0
            and os.path.exists("/etc/debian_version")):
        return None, "chromium is not there; only root on Debian could install it"
    try:
        for words in (["update"], ["install", "-y", "chromium"]):
            # Another worker may be at it: wait for its lock.
            subprocess.run(["apt-get", "-o", "DPkg::Lock::Timeout=120", *words],
                           check=True, capture_output=True, timeout=_INSTALL_SECONDS,
                           env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    except (subprocess.SubprocessError, OSError) as error:
        return None, f"chromium could not be installed: {error}"
    return shutil.which("chromium"), "apt-get installed no `chromium`"


class Page:
    """One page: commands are calls, events are kept in a list."""

    def __init__(self, pipe):
        self._pipe, self.events = pipe, []
        target = pipe.call(None, "Target.createTarget", [], url="about:blank")
        self._session = pipe.call(
            None, "Target.attachToTarget", [], flatten=True,
            targetId=target["targetId"])["sessionId"]
        for domain in ("Runtime", "Log", "Network", "Page"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        """Sends a command and waits for its answer."""
        return self._pipe.call(self._session, method, self.events, **params)

    def open(self, url):
        """Loads a page and waits until it is there."""
        self.call("Page.navigate", url=url)
        while not self.named("Page.loadEventFired"):
            self.events.append(self._pipe.next())

    def named(self, *methods):
        """Parameters of the events of these names, so far."""
        return [e["params"] for e in self.events if e.get("method") in methods]

    def run(self, script):
        """Value of a JavaScript expression."""
        result = self.call("Runtime.evaluate", expression=script,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def resize(self, width, height=900, scale=1):
        """Makes the page that many CSS pixels wide; narrow ones are phones."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=width < 600)

    def screenshot(self, path):
        """Writes the whole page, not only what is in view."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self):
        """The page as it would be printed, as bytes."""
        return base64.b64decode(
            self.call("Page.printToPDF", printBackground=False)["data"])


class Pipe:
    """Both directions of the talk with a browser."""

    def __init__(self, send, receive):
        self._send, self._receive = send, receive
        self._buffer, self._count = b"", 0

    def page(self):
        """A new, empty page."""
        return Page(self)

    def call(self, session, method, events, **params):
        """Sends a command; what comes before its answer goes to `events`."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        rest = json.dumps(message).encode() + b"\0"
        while rest:
            rest = rest[os.write(self._send, rest):]
        while True:
            answer = self.next()
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if answer.get("sessionId") == session:
                events.append(answer)

    def next(self, seconds=60):
        """The next message of the browser."""
        end = time.monotonic() + seconds
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._receive], [], [],
                                        max(0, end - time.monotonic()))
            part = os.read(self._receive, 1 << 20) if ready else b""
            if not part:
                raise RuntimeError("Chromium has ended" if ready
                                   else f"Chromium was silent for {seconds} s")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)


@contextlib.contextmanager
def browser(program):
    """A new browser with a profile of its own, as a `Pipe`."""
    their_in, our_out = os.pipe()
    our_in, their_out = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCH, str(their_in), str(their_out), program,
             *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(their_in, their_out), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(their_in)
        os.close(their_out)
        try:
            yield Pipe(our_out, our_in)
        finally:
            os.close(our_out)
            os.close(our_in)
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
