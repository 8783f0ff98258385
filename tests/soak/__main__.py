"""Loads a server and kills training runs for a while; ends with counts.

    python -m tests.soak --minutes=30

Clients send good and bad requests over both protocols. Meanwhile versions are
published, some of them broken, and replaced; and training runs are killed at random
moments and started again. At the end stand the counts of `Counts`; the exit code is 0
if nothing was lost or wrong, no server was restarted and its memory has not grown too
much.
"""

import pathlib
import signal
import sys
import tempfile
import threading
import time

from absl import app, flags

from tests.serving import fuzz
from tests.soak.counts import Counts
from tests.soak.killer import Killer
from tests.soak.publisher import Publisher

_MINUTES = flags.DEFINE_float("minutes", 30.0, "Minutes of the load.", lower_bound=0.1)
_SEED = flags.DEFINE_integer("seed", 0, "Seed of requests, versions and kills.")
_CLIENTS = flags.DEFINE_integer("clients", 2, "Clients at a time.", lower_bound=1)
_GROWTH = flags.DEFINE_float(
    "most_growth", 200.0, "Most MB by which the memory of the server may grow.")
_WARM_UP = 0.1  # Share of the time before memory is measured first.


class Soak:
    """The server, and the threads that load it.

    Args:
        folder: Folder for all files.
        seed: Integer.
    """

    def __init__(self, folder, seed):
        self.counts = Counts()
        self.ended = threading.Event()
        self._seed = seed
        self._folders = fuzz.publish_models(pathlib.Path(folder, "served"))
        self._lock = threading.Lock()
        self._fuzzers = []
        self._start_server()
        self.publisher = Publisher(self._folders["digits"], seed)
        self.killer = Killer(pathlib.Path(folder, "runs"), seed)

    def run(self, minutes, clients):
        """Loads the server for a time, and counts."""
        begin = time.monotonic()
        end, measured = begin + 60.0 * minutes, begin + 60.0 * minutes * _WARM_UP
        threads = [threading.Thread(target=self._work, args=(work,)) for work in (
            *[self._client(number) for number in range(clients)],
            self.publisher.step, self.killer.step)]
        for thread in threads:
            thread.start()
        shown = begin
        while time.monotonic() < end:
            time.sleep(0.5)
            self._watch_server()
            now, memory = time.monotonic(), fuzz.resident(self.process.pid)
            if self.counts.memory_begin is None and now > measured:
                self.counts.memory_begin = memory
            self.counts.memory_most = max(self.counts.memory_most, memory)
            if now - shown > 30.0:
                shown = now
                print(f"{(now - begin) / 60.0:.1f} min: {self._collected()}",
                      flush=True)
        self.counts.memory_end = fuzz.resident(self.process.pid)
        self.ended.set()
        for thread in threads:
            thread.join()
        self._watch_server()
        return self._collected()

    def stop(self):
        """Ends the load and the server."""
        self.ended.set()
        self.process.terminate()
        self.process.wait(60)

    def _start_server(self):
        self.process, self._rest, self._grpc = fuzz.start_server(
            self._folders.values(), "--file_system_poll_wait_seconds=0.5")

    def _watch_server(self):
        with self._lock:
            if self.process.poll() is not None:
                self.counts.restarted += 1
                self._start_server()

    def _client(self, number):
        """A function that makes one step of a client, which finds a new server."""
        address, fuzzer = None, None

        def step():
            nonlocal address, fuzzer
            with self._lock:
                now = self._rest, self._grpc
            if now != address:
                address = now
                fuzzer = fuzz.Fuzzer(*now, list(self._folders),
                                     seed=self._seed + 1000 * number)
                self._fuzzers.append(fuzzer)
            fuzzer.step()

        return step

    def _work(self, step):
        while not self.ended.is_set():
            try:
                step()
            except Exception as error:  # Counted: the others go on.
                self.counts.faults.append(
                    f"{type(error).__name__} in {step.__qualname__}: {error}")
                time.sleep(0.5)

    def _collected(self):
        counts = self.counts
        counts.answers = sum(sum(f.counts.values()) for f in self._fuzzers)
        counts.requests = [fault for f in self._fuzzers for fault in f.faults]
        counts.versions = dict(self.publisher.counts)
        counts.runs = dict(self.killer.counts)
        return counts


def main(argv):
    del argv
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # The server ends as well.
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(folder, _SEED.value)
        try:
            counts = soak.run(_MINUTES.value, _CLIENTS.value)
        finally:
            soak.stop()
    for fault in counts.all_faults()[:20]:
        print(f"  FAULT {fault}")
    print(counts)
    sys.exit(not counts.passed(_GROWTH.value))


if __name__ == "__main__":
    app.run(main)
