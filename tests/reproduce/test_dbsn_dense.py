"""Tests of dense cells on toys: few epochs, and where there are no data."""

import numpy as np
import pytest

from bdlzoo import data
from tools.reproduce import dbsn_dense


def test_away_is_where_no_row_is():
    moons = data.load("moons", "test", **dbsn_dense._MOONS).x
    circle = dbsn_dense.away("moons", moons)
    gaps = np.linalg.norm(circle[:, None] - moons[None], axis=-1)
    assert gaps.min() > 2.0
    digits = np.zeros((7, 8, 8, 1), "float32")
    noise = dbsn_dense.away("digits", digits)
    assert noise.shape == digits.shape and 0.4 < noise.mean() < 0.6


@pytest.mark.slow
@pytest.mark.parametrize("name", ["digits", "moons"])
def test_doubt_is_larger_away_from_the_data(name):
    found = dbsn_dense.run(name=name, epochs=4 if name == "digits" else 60,
                           num_samples=16)
    assert found["mi_away"] > 2 * found["mi"] > 0
    assert found["accuracy"] > 0.7
    fixed = dbsn_dense.run(name=name, method="fixed", epochs=1)
    assert fixed["mi"] == fixed["mi_away"] == 0.0


def test_a_wrong_set_is_refused():
    with pytest.raises(ValueError, match="name='mnist'"):
        dbsn_dense.run(name="mnist")
