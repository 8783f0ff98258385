"""Curves over severities: one model in detail, several by their means."""

import numpy as np
import pytest

from bdlzoo.reports.shift_curves import shift_curves


def _table(accuracy, nll, ece):
    return {"severity": [0, 1, 2], "accuracy": accuracy, "nll": nll, "ece": ece}


BLUR = _table([0.9, 0.8, 0.5], [0.1, 0.2, 1.0], [0.02, 0.04, 0.1])
NOISE = _table([0.9, 0.6, 0.3], [0.1, 0.6, 3.0], [0.02, 0.06, 0.3])


def _lines(axes):
    return {line.get_label(): line for line in axes.get_lines()}


def test_one_model_has_a_thin_line_each_and_a_bold_mean():
    accuracy, nll, ece = shift_curves({"vi": {"Blur": BLUR, "Noise": NOISE}}).axes
    lines = _lines(accuracy)
    assert list(lines) == ["Blur", "Noise", "vi, mean"]
    np.testing.assert_allclose(lines["Blur"].get_ydata(), [90, 80, 50])
    np.testing.assert_allclose(lines["vi, mean"].get_ydata(), [90, 70, 40])
    np.testing.assert_allclose(_lines(nll)["vi, mean"].get_ydata(), [0.1, 0.4, 2])
    np.testing.assert_allclose(_lines(ece)["Noise"].get_ydata(), [2, 6, 30])
    np.testing.assert_array_equal(lines["Noise"].get_xdata(), [0, 1, 2])
    assert lines["vi, mean"].get_linewidth() > lines["Blur"].get_linewidth()


def test_several_models_are_compared_by_their_means():
    figure = shift_curves({"vi": {"Blur": BLUR, "Noise": NOISE},
                           "dropout": {"Noise": NOISE}})
    for axes in figure.axes:
        assert list(_lines(axes)) == ["vi", "dropout"]
    lines = _lines(figure.axes[1])
    np.testing.assert_allclose(lines["vi"].get_ydata(), [0.1, 0.4, 2])
    np.testing.assert_allclose(lines["dropout"].get_ydata(), NOISE["nll"])
    [names] = [[text.get_text() for text in legend.get_texts()]
               for legend in figure.legends]
    assert names == ["vi", "dropout"]
    assert lines["vi"].get_color() != lines["dropout"].get_color()


def test_thin_lines_can_all_be_told_apart():
    figure = shift_curves({"vi": {f"Noise{i}": NOISE for i in range(13)}})
    looks = {(line.get_color(), line.get_linestyle())
             for line in figure.axes[0].get_lines()}
    assert len(looks) == 14


@pytest.mark.parametrize("results", [{}, {"vi": {}}])
def test_nothing_to_draw_is_refused(results):
    with pytest.raises(ValueError, match="one corruption. Received: results"):
        shift_curves(results)
