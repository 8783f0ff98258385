"""Rows of a choice are apart, and the outside ones are noisy copies."""

import numpy as np
import pytest

from bdlzoo.data import Split
from bdlzoo.evaluation.choice_rows import choice_rows


def _split(first, count):
    x = np.tile(np.arange(first, first + count, dtype="float32")[:, None], 3)
    return Split(x, x[:, 0])


def test_validation_rows_are_halved_and_others_stay():
    rows = choice_rows(_split(0, 50), _split(100, 7), _split(200, 400))
    np.testing.assert_array_equal(rows.calibration[1], [100, 101, 102])
    np.testing.assert_array_equal(rows.decision[1], [103, 104, 105, 106])
    assert len(rows.train[0]) == 50 and len(rows.test[0]) == 400
    noise = rows.outside - rows.test[0]
    np.testing.assert_allclose(noise.std(), 2.0 * np.std(np.arange(50)), rtol=0.06)


def test_too_few_rows_cannot_decide():
    with pytest.raises(ValueError, match="at least four"):
        choice_rows(_split(0, 5), _split(9, 3), _split(20, 5))
