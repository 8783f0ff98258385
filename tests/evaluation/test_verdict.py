"""The choice follows from losses and times by arithmetic."""

import numpy as np
import pytest

from bdlzoo.evaluation.verdict import verdict

BASE = np.array([0.1, 0.3, 0.2, 0.4])  # Mean 0.25.
NOISE = np.array([0.2, -0.2, 0.1, -0.1])


def test_a_cheaper_model_within_two_errors_is_taken():
    # The difference is 0.01 on average; its standard error is 0.0913.
    losses = {"large": BASE, "small": BASE + NOISE + 0.01, "bad": BASE + 0.5}
    found = verdict(losses, {"large": 4.0, "small": 1.0, "bad": 0.1})
    assert (found.take, found.best, found.alike) == (
        "small", "large", ("large", "small"))
    assert "large has the lowest negative log likelihood, 0.250." in found.reasons[0]
    assert "the difference of 0.010 is within two standard errors (0.183)" in (
        found.reasons[0])
    assert "takes 1.00 ms, one of large 4.00 ms" in found.reasons[1]
    assert found.reasons[2] == "Worse by more than two standard errors: bad (by 0.500)."


def test_a_clear_difference_outweighs_the_cost():
    # Rows are compared one by one: the same gap in all of them is no chance.
    found = verdict({"large": BASE, "small": BASE + 0.01},
                    {"large": 4.0, "small": 1.0})
    assert found.take == found.best == "large" and found.alike == ("large",)


def test_times_that_are_nearly_equal_do_not_decide():
    losses = {"good": BASE, "other": BASE + NOISE + 0.01}
    found = verdict(losses, {"good": 1.1, "other": 1.0})
    assert found.take == "good"
    assert "other may be as good" in found.reasons[1]
    assert verdict(losses, {"good": 1.3, "other": 1.0}).take == "other"


def test_the_last_sentence_is_about_unusual_inputs():
    times = {"large": 4.0, "small": 1.0}
    losses = {"large": BASE, "small": BASE + 0.01}
    other = verdict(losses, times, {"large": 0.5, "small": 0.75})
    assert "small tells outside rows with an AUROC of 0.750, large with 0.500" in (
        other.reasons[-1])
    same = verdict(losses, times, {"large": 0.8, "small": 0.75})
    assert "tells outside rows best, with an AUROC of 0.800" in same.reasons[-1]


def test_wrong_figures_are_refused():
    with pytest.raises(ValueError, match="at least one model"):
        verdict({}, {})
    with pytest.raises(ValueError, match="finite"):
        verdict({"a": [np.nan]}, {"a": 1.0})
