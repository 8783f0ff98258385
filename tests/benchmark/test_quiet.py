"""A quiet machine: measured by its speed, and not waited for too long."""

import time

from tools.benchmark import quiet
from tools.benchmark.quiet import QuietMachine


def _measured(*seconds):
    left = list(seconds)
    return lambda: left.pop(0)


def test_machine_is_compared_with_its_best():
    machine = QuietMachine(0.0, _measured(1.2, 1.3, 1.0, 1.1, 1.2, 0.9, 1.04))
    # 1.3 is near 1.2, the best so far; 1.2 is far from 1.0, 1.04 from 0.9.
    assert [machine.is_quiet() for _ in range(6)] == [
        True, True, True, False, True, False]


def test_waits_until_it_is_quiet():
    machine = QuietMachine(60.0, _measured(1.0, 2.0, 1.5, 1.01), pause=0.0)
    assert machine.wait()


def test_patience_ends():
    machine = QuietMachine(0.05, _measured(1.0, *[2.0] * 1000), pause=0.01)
    begin = time.monotonic()
    assert not machine.wait()
    assert 0.05 <= time.monotonic() - begin < 5


def test_nothing_is_waited_for_when_it_is_late():
    machine = QuietMachine(60.0, _measured(1.0, 2.0), pause=60.0)
    assert not machine.wait(latest=time.monotonic())


def test_speed_is_that_of_work_on_this_machine():
    machine = QuietMachine(0.0)
    assert machine.is_quiet() in (True, False)
    assert 0 < quiet.product_seconds() < 60
