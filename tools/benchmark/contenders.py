"""Worker processes: one works, the others wait for a command."""

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
_BESIDE = "# beside our packages"  # The first line of some requirements.


class Absent(Exception):
    """A contender that cannot take part; the message says why."""


class Contender:
    """A worker process; `tools/benchmark/workers/protocol.py` has its language.

    Args:
        command: List of strings, the command that starts the worker.
        folder: Path of the folder to start it in.
        patience: Float, seconds to wait for an answer.
    """

    def __init__(self, command, folder=ROOT, patience=300):
        self.patience = patience
        self._late = False
        self._errors = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(
            command, cwd=folder, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self._errors,
            # Times are compared on the CPU.
            env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        try:
            self.versions = self._answer()["versions"]
        except BaseException:
            self.stop()
            raise

    def ask(self, words):
        """Sends a command; returns the answer, a dictionary.

        Args:
            words: String, the command.

        Raises:
            Absent: If the worker reports an error, or gives no answer.
        """
        with contextlib.suppress(BrokenPipeError):  # The answer says why.
            self._process.stdin.write(words + "\n")
            self._process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise Absent(answer["error"])
        return answer

    def stop(self):
        """Ends the process."""
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
    """Starts workers by name, and ends them all, after an error too.

    Args:
        workers: Dictionary, name to module below `tools.benchmark.workers`.

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
    """The command that starts a worker of `tools.benchmark.workers`."""
    return [_python(worker), "-m", f"tools.benchmark.workers.{worker}"]


def _python(worker):
    """Path of the interpreter of a worker; makes its environment if it has one."""
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
    """Lets an environment import the packages of this one, after its own."""
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
            or ["it ended without a message"])[-1]
