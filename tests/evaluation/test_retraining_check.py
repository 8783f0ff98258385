"""Predicted against actual changes."""

import numpy as np
import pytest

from bdlzoo.evaluation import influence, leave_one_out
from tests.evaluation import influence_cases as cases


def test_leaving_rows_out_is_as_predicted():
    train, test = cases.data()
    found = influence(cases.logistic(), train, test, likelihood="categorical")
    rows = [0, 3, 5, 11, 20, 32]
    checked = leave_one_out(found, test, rows)
    assert checked.predicted.shape == checked.actual.shape == (6, 3)
    assert checked.correlation > 0.98 and checked.gradient < 1e-2
    np.testing.assert_allclose(checked.actual, checked.predicted, rtol=0.5, atol=2e-3)
    with pytest.raises(ValueError, match="test rows of the influence"):
        leave_one_out(found, train, rows)
