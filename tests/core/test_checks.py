"""Checks of arguments."""

import numpy as np
import pytest

from bdlzoo.core.checks import check_count, check_positive


@pytest.mark.parametrize("value", [0, -1, 1.0, "2", None])
def test_what_is_no_count_is_refused(value):
    with pytest.raises(ValueError, match="whole number.*num_samples="):
        check_count("num_samples", value)


def test_counts_of_numpy_are_counts():
    check_count("num_samples", np.int64(3))


def test_the_value_that_is_not_positive_is_named():
    check_positive(rate=0.1, delay=2)
    with pytest.raises(ValueError, match="delay=0"):
        check_positive(rate=0.1, delay=0)
    with pytest.raises(ValueError, match="rate=nan"):
        check_positive(rate=float("nan"))
