"""How long a served model takes to answer."""

import time

import numpy as np


def latency(version, inputs, signature="", runs=50, seconds=2.0):
    """Milliseconds from request to answer, inside the server: the median.

    Args:
        version: `ServedVersion`, which has answered this request before.
        inputs: Dictionary of arrays by name.
        signature: String, name of the signature.
        runs: Integer, requests at most.
        seconds: Float, time at most.
    """
    taken, end = [], time.perf_counter() + seconds
    while len(taken) < runs and (not taken or time.perf_counter() < end):
        begin = time.perf_counter()
        version.run(inputs, signature)
        taken.append(time.perf_counter() - begin)
    return 1000 * float(np.median(taken))
