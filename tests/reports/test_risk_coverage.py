"""Tests of the risk-coverage curves."""

import numpy as np
import pytest

from bdlzoo.metrics import ranking
from bdlzoo.reports.risk_coverage import risk_coverage

ERRORS = np.array([0, 0, 1, 0, 1])
CONFIDENCE = np.array([0.9, 0.8, 0.7, 0.6, 0.5])


def _lines(figure, style):
    [axes] = figure.axes
    return [line for line in axes.lines
            if line.get_linestyle() == style and len(line.get_xdata())]


def test_curve_is_the_share_of_errors_among_the_rows_kept():
    [curve] = _lines(risk_coverage({"a": (ERRORS, CONFIDENCE)}), "-")
    np.testing.assert_allclose(curve.get_xdata(), [0.2, 0.4, 0.6, 0.8, 1.0])
    np.testing.assert_allclose(curve.get_ydata(), [0, 0, 1 / 3, 1 / 4, 2 / 5])


def test_references_are_those_of_a_random_and_of_a_perfect_ranking():
    figure = risk_coverage({"a": (ERRORS, CONFIDENCE)})
    [random], [perfect] = _lines(figure, ":"), _lines(figure, "--")
    np.testing.assert_allclose(random.get_ydata(), [0.4, 0.4])
    # What the metric says where the errors come last.
    np.testing.assert_allclose(
        perfect.get_ydata(), ranking.risk_coverage(ERRORS, -ERRORS)[1])


def test_scores_of_one_model_share_their_references():
    shared = risk_coverage({"a": (ERRORS, CONFIDENCE), "b": (ERRORS, -CONFIDENCE)})
    apart = risk_coverage({"a": (ERRORS, CONFIDENCE),
                           "b": (1 - ERRORS, CONFIDENCE)})
    assert [len(_lines(shared, style)) for style in "-:"] == [2, 1]
    assert [len(_lines(apart, style)) for style in "-:"] == [2, 2]
    colours = [line.get_color() for line in _lines(apart, "-")]
    assert [line.get_color() for line in _lines(apart, ":")] == colours


def test_models_that_tie_in_errors_and_rows_share_references_in_grey():
    many = np.tile(ERRORS, 2)
    figure = risk_coverage({"a": (ERRORS, CONFIDENCE), "b": (ERRORS, -CONFIDENCE),
                            "c": (many, np.tile(CONFIDENCE, 2))})
    colours = [line.get_color() for line in _lines(figure, ":")]
    assert len(colours) == 2 and colours[0] not in [
        line.get_color() for line in _lines(figure, "-")]


def test_one_early_error_does_not_flatten_the_rest():
    errors = np.zeros(100)
    errors[[0, 99]] = 1  # The most confident row is wrong: risk 1 there.
    [axes] = risk_coverage({"a": (errors, -np.arange(100.0))}).axes
    assert axes.get_ylim()[1] < 0.2


@pytest.mark.parametrize("wrong, top", [(0, 0.01), (1, 1.08)])
def test_all_right_and_all_wrong_are_flat_lines_in_view(wrong, top):
    figure = risk_coverage({"a": (np.full(5, wrong), CONFIDENCE)})
    [axes] = figure.axes
    assert set(_lines(figure, "-")[0].get_ydata()) == {wrong}
    assert axes.get_ylim() == (0, pytest.approx(top))


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="at least one curve"):
        risk_coverage({})
