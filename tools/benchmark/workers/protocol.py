"""What a worker says and is told; needs the standard library only.

    stdin                  stdout
    warm WORDS             {"seconds": ..., "cpu": ..., "memory": ...}
                                          prepare, then run once
    run WORDS              the same       run once more
                           {"error": ...} where either failed

A run that has `facts`, a callable, tells what it has found too: `{"facts": {...}}`,
numbers by name, which cost no time. `cpu` is the time of all cores together, which
others on the machine hardly change; `memory` the megabytes that the process has had
at most, so far, above those of its start (`None` where the system does not say).
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
        prepare: Callable that takes the words and returns what is timed, a
            callable without arguments, which may have `facts`.
        *packages: Names of packages whose versions the first line tells.
    """
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # What libraries print is no answer.
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
        except Exception as error:  # Told to the parent, whatever it is.
            traceback.print_exc()
            answer = {"error": "".join(
                traceback.format_exception_only(error)).split("\n")[0]}
        print(json.dumps(answer), file=answers)


def _megabytes(field):
    """A field of what Linux says of this process; `None` elsewhere."""
    try:
        with open("/proc/self/status") as file:
            [line] = [line for line in file if line.startswith(f"{field}:")]
    except OSError:
        return None
    return int(line.split()[1]) / 1024
