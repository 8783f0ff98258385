"""The mean loss by enumeration."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.estimators import Exact
from bdlzoo.estimators.exact import all_codes
from tests.estimators import toy


def test_gradient_is_the_closed_form():
    np.testing.assert_allclose(toy.gradients(Exact(), 3), np.tile(toy.EXACT, (3, 1)),
                               atol=1e-5)


def test_value_is_the_mean_over_all_codes():
    rng = np.random.default_rng(0)
    potentials = rng.normal(size=(2, 3, 2)).astype("float32")
    table = rng.normal(size=(2, 2, 2)).astype("float32")
    probs = toy.softmax(potentials)
    expected = np.einsum("ijk,bi,bj,bk->b", table, *(probs[:, n] for n in range(3)))

    def loss(codes):
        values = tf.argmax(codes, axis=-1)
        return tf.gather_nd(table, values) + tf.zeros([1, 2])

    np.testing.assert_allclose(Exact()(potentials, loss), expected, rtol=1e-5)


def test_too_many_codes_are_refused():
    assert all_codes(2, 3).shape == (9, 2, 3)
    with pytest.raises(ValueError, match="at most 65536 codes.*num_variables=17"):
        all_codes(17, 2)
