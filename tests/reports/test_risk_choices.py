"""Choices against the risk parameter."""

import numpy as np

from bdlzoo import reports


def test_each_sign_has_a_panel_with_its_points():
    figure = reports.risk_choices([-2.0, -1.0, 0.5], {
        "safe": [[1.0, 0.9], [0.8, 0.8], [0.5, 0.4]],
        "gamble": [[0.0, 0.1], [0.2, 0.2], [0.5, 0.6]]})
    below, above = figure.axes
    np.testing.assert_allclose(below.lines[0].get_ydata(), [0.95, 0.8])
    np.testing.assert_allclose(above.lines[2].get_ydata(), [0.55])
    assert above.get_legend() is not None and len(below.lines) == 4
