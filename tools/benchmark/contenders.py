"""Processes that are timed in turn: one works, the others wait for their word."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import threading

ROOT = pathlib.Path(__file__).parents[2]
ENVIRONMENTS = ROOT / ".venv-peers"
_BESIDE = "# beside our packages"  # A first line of requirements.


class Absent(Exception):
    """A contender that cannot take part; its words say why."""


class Contender:
    """A worker process, see `tools/benchmark/workers/protocol.py`.

    Args:
        command: List of strings that starts the worker.
        folder: Folder to start it in.
        patience: Seconds to wait for an answer.
    """

    def __init__(self, command, folder=ROOT, patience=300):
        self.patience = patience
        self._late = False
        self._errors = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(
            command, cwd=folder, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self._errors,
            # What is compared is the CPU.
            env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        try:
            self.versions = self._answer()["versions"]
        except BaseException:
            self.stop()
            raise

    def ask(self, words):
        """Returns `seconds` and `cpu` that the worker took for a command."""
        with contextlib.suppress(BrokenPipeError):  # The answer says why.
            self._process.stdin.write(words + "\n")
            self._process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise Absent(answer["error"])
        return answer

    def stop(self):
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def _answer(self):
        clock = threading.Timer(self.patience, self._give_up)
        clock.start()
        line = self._process.stdout.readline()
        clock.cancel()
        if line:
            return json.loads(line)
        if self._late:
            raise Absent(f"no answer in {self.patience:g} s")
        self._process.wait()
        self._errors.seek(0)
        raise Absent(_last_line(self._errors.read()))

    def _give_up(self):
        self._late = True
        self._process.kill()


@contextlib.contextmanager
def started(workers):
    """Starts workers by name and ends them all, come what may.

    Args:
        workers: Dictionary, name to name of the module below `tools.benchmark.workers`.

    Yields:
        Dictionary, name to `Contender`, or to `Absent` where it did not start.
    """
    with contextlib.ExitStack() as stack:
        running = {}
        for name, worker in workers.items():
            try:
                running[name] = Contender(command(worker))
                stack.callback(running[name].stop)
            except Absent as absent:
                running[name] = absent
        yield running


def command(worker):
    """What starts a worker of `tools.benchmark.workers`."""
    return [_python(worker), "-m", f"tools.benchmark.workers.{worker}"]


def _python(worker):
    """Interpreter of a worker; makes its environment where it has its own."""
    requirements = ROOT / "tools/benchmark/workers" / f"{worker}.txt"
    if not requirements.exists():
        return sys.executable
    folder = ENVIRONMENTS / worker
    python, stamp = folder / "bin" / "python", folder / "installed"
    wanted = requirements.read_text()
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"Setting up {folder} (once, a few minutes) ...", flush=True)
        _check(sys.executable, "-m", "venv", "--clear", folder)
        lines = wanted.splitlines()
        if lines[0] == _BESIDE:
            lines = lines[1:]
            _show_packages(folder)
        for line in lines:
            _check(python, "-m", "pip", "install", "--quiet",
                   "--disable-pip-version-check", *line.split())
        stamp.write_text(wanted)
    return str(python)


def _show_packages(folder):
    """Lets an environment find the packages of this one, behind its own."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    place = folder / "lib" / version / "site-packages" / "beside.pth"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(sysconfig.get_path("purelib") + "\n")


def _check(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Absent(_last_line(done.stderr or done.stdout))


def _last_line(text):
    return ([line.strip() for line in text.splitlines() if line.strip()]
            or ["it ended without a word"])[-1]
