"""Latency is the median of what was measured, within bounds."""

import time
import types

from bdlzoo.serving.latency import latency


def _version(*seconds):
    """Answers after these times, the last one again and again."""
    calls = []

    def run(inputs, signature):
        calls.append((inputs, signature))
        time.sleep(seconds[min(len(calls), len(seconds)) - 1])

    return types.SimpleNamespace(run=run, calls=calls)


def test_median_of_at_most_so_many_runs():
    version = _version(0.2, 0.01)
    assert 10 <= latency(version, {"x": 1}, "predict", runs=5) < 100
    assert version.calls == [({"x": 1}, "predict")] * 5


def test_slow_models_are_not_asked_for_long():
    version = _version(0.05)
    assert latency(version, {}, runs=100, seconds=0.01) >= 50
    assert len(version.calls) == 1
