"""Calm: told by the time of bursts, and waited for no longer than is allowed."""

import time

from tools.benchmark import quiet as calm


def _bursts(*seconds):
    left = list(seconds)
    return lambda: left.pop(0)


def test_machine_is_compared_with_its_best():
    weather = calm.Calm(0.0, _bursts(1.2, 1.3, 1.0, 1.1, 1.2, 0.9, 1.04))
    # 1.3 is near 1.2, the best so far; 1.2 is far from 1.0, 1.04 from 0.9.
    assert [weather.here() for _ in range(6)] == [True, True, True, False, True, False]


def test_waits_until_it_is_calm():
    weather = calm.Calm(60.0, _bursts(1.0, 2.0, 1.5, 1.01), pause=0.0)
    assert weather.wait()


def test_patience_ends():
    weather = calm.Calm(0.05, _bursts(1.0, *[2.0] * 1000), pause=0.01)
    begin = time.monotonic()
    assert not weather.wait()
    assert 0.05 <= time.monotonic() - begin < 5


def test_nothing_is_waited_for_when_it_is_late():
    weather = calm.Calm(60.0, _bursts(1.0, 2.0), pause=60.0)
    assert not weather.wait(latest=time.monotonic())


def test_burst_is_work_on_this_machine():
    weather = calm.Calm(0.0)
    assert weather.here() in (True, False)
    assert 0 < calm._burst() < 60
