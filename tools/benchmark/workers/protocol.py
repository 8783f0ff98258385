"""Commands to a worker and its answers; needs the standard library only.

    stdin                  stdout
    warm WORDS             {"seconds": ..., "cpu": ..., "memory": ...}
                                          prepare, then run once
    run WORDS              the same       run once more
                           {"error": ...} if either failed

A run may have `facts`, a callable that returns numbers by name. They are added to the
answer, `{"facts": {...}}`, and take no measured time. `cpu` is the time of all cores
together, which other processes hardly change. `memory` is the largest memory of the
process so far, in megabytes above its start; `None` if the system does not report it.
"""

import importlib.metadata
import json
import os
import sys
import time
import traceback


def serve(prepare, *packages):
    """Answers commands until stdin ends.

    Args:
        prepare: Callable that takes the words of a command and returns what is
            timed, a callable without arguments, which may have `facts`.
        *packages: Names of packages whose versions are in the first line.
    """
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # Output of libraries must not mix with answers.
    print(json.dumps({"versions": {
        name: importlib.metadata.version(name) for name in packages}}),
        file=answers)
    runs, start = {}, _megabytes("VmRSS")
    for line in sys.stdin:
        verb, *words = line.split()
        begin, cpu = time.perf_counter(), time.process_time()
        try:
            if verb == "warm":
                runs[tuple(words)] = prepare(*words)
            runs[tuple(words)]()
            answer = {"seconds": time.perf_counter() - begin,
                      "cpu": time.process_time() - cpu,
                      "memory": start and _megabytes("VmHWM") - start}
            if verb == "warm" and hasattr(runs[tuple(words)], "facts"):
                answer["facts"] = runs[tuple(words)].facts()
        except Exception as error:  # Every error is reported to the parent.
            traceback.print_exc()
            answer = {"error": "".join(
                traceback.format_exception_only(error)).split("\n")[0]}
        print(json.dumps(answer), file=answers)


def _megabytes(field):
    """A field of the status of this process on Linux; `None` elsewhere."""
    try:
        with open("/proc/self/status") as file:
            [line] = [line for line in file if line.startswith(f"{field}:")]
    except OSError:
        return None
    return int(line.split()[1]) / 1024
