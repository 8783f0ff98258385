"""Latency of a served model."""

import time

import numpy as np


def latency(version, inputs, signature="", runs=50, seconds=2.0):
    """Median time of an answer inside of the server, in milliseconds.

    Args:
        version: `ServedVersion` that has answered this request before.
        inputs: Dictionary of arrays by name.
        signature: String, name of the signature; empty for the default one.
        runs: Integer, largest number of requests.
        seconds: Float, time after which no more requests are sent.
    """
    taken, end = [], time.perf_counter() + seconds
    while len(taken) < runs and (not taken or time.perf_counter() < end):
        begin = time.perf_counter()
        version.run(inputs, signature)
        taken.append(time.perf_counter() - begin)
    return 1000 * float(np.median(taken))
