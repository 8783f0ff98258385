"""Tests of what the plots share."""

import sys

import numpy as np

from bdlzoo.reports import canvas, error_curves


def test_figures_leave_no_global_state(tmp_path):
    error_curves([1, 2], {"a": [[0.1, 0.2]]}).savefig(tmp_path / "a.png")
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or pyplot.get_fignums() == []
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_one_channel_is_dropped_and_three_are_kept():
    assert canvas.picture(np.zeros((4, 4, 1))).shape == (4, 4)
    assert canvas.picture(np.zeros((4, 4, 3))).shape == (4, 4, 3)
    assert canvas.picture(np.zeros((4, 1))).shape == (4, 1)
