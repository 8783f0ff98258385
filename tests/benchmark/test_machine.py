"""The description of the machine, and its busy cores."""

import os

import pytest

from tools.benchmark import machine


@pytest.mark.skipif(not os.path.exists("/proc/stat"), reason="Linux counts this")
def test_busy_cores_are_a_number_of_cores():
    assert 0 <= machine.busy_cores(0.05) <= os.cpu_count()


def test_busy_cores_are_unknown_where_the_system_does_not_count(monkeypatch):
    monkeypatch.setattr(machine, "_idle_seconds", lambda: None)
    assert machine.busy_cores(60.0) is None


def test_description_has_what_the_pages_show():
    found = machine.description()
    assert found["cores"] == os.cpu_count()
    assert found.keys() == {"cpu", "cores", "system", "python"}
