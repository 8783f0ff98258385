"""Starts the workers of a training run, and restarts all of them if one fails.

Workers depend on each other in every step, and wait for a worker that has failed. So
all of them are stopped and start again from the last checkpoint. They end with this
process, too, if it is killed.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time

from bdlzoo.core import end_with_parent

_POLL = 0.2  # Seconds between two checks.
_GRACE = 60  # Seconds between the end of the first worker and of the last one.


def supervise(command, num_workers, max_restarts):
    """Runs a command in several processes on this machine until all succeed.

    Args:
        command: List of strings. Each process gets its own `TF_CONFIG`.
        num_workers: Integer, number of processes.
        max_restarts: Integer, how often the workers may be restarted.

    Raises:
        ValueError: If workers fail after the last restart.
    """
    for restarts in range(max_restarts + 1):
        failure = _attempt(command, num_workers)
        if failure is None:
            return
        print(f"{failure} Restarts so far: {restarts}.", file=sys.stderr, flush=True)
    raise ValueError("Expected workers without errors: their last output is above. "
                     f"Received: {max_restarts + 1} failures")


def _attempt(command, num_workers):
    """Runs all workers once; returns a description of the failure, or `None`."""
    addresses = _free_addresses(num_workers)
    workers, outputs = [], []
    try:
        for index in range(num_workers):
            # The first worker prints; the last output of the others is kept.
            outputs.append(tempfile.TemporaryFile("w+") if index else None)
            cluster = {"cluster": {"worker": addresses},
                       "task": {"type": "worker", "index": index}}
            workers.append(subprocess.Popen(
                command, env={**os.environ, "TF_CONFIG": json.dumps(cluster),
                              end_with_parent.VARIABLE: str(os.getpid())},
                stdout=outputs[-1], stderr=outputs[-1] and subprocess.STDOUT))
        print(f"Workers: {' '.join(str(worker.pid) for worker in workers)}",
              file=sys.stderr, flush=True)
        return _watch(workers, outputs)
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
        for output in filter(None, outputs):
            output.close()


def _watch(workers, outputs):
    deadline = None
    while True:
        codes = [worker.poll() for worker in workers]
        for index, code in enumerate(codes):
            if code:
                return (f"Worker {index} has ended with code {code}."
                        f"{_last_words(outputs[index])}")
        if None not in codes:
            return None
        if 0 in codes:  # All workers end at about the same time.
            deadline = deadline or time.monotonic() + _GRACE
            if time.monotonic() > deadline:
                return f"Worker {codes.index(None)} does not end."
        time.sleep(_POLL)


def _last_words(output):
    if output is None:
        return ""
    output.seek(0)
    return "\n" + "\n".join(output.read().splitlines()[-5:])


def _free_addresses(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]
    finally:
        for each in sockets:
            each.close()
