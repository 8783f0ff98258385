"""Bias and variance of estimators, on a small model of the digits."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.estimators import Exact
from tests.estimators import toy
from tools.reproduce import direct_bias

SMALL = dict(name="digits", num_draws=400, num_images=3, num_train=200, units=8)


def test_figures_are_those_of_the_estimates():
    found = np.array([[[1.0, 0.0]], [[3.0, 0.0]]])  # [S, B, K]
    exact = np.array([[0.0, 0.0]])
    measured = direct_bias.figures(found, exact)
    assert measured == {"bias": 2.0, "floor": pytest.approx(np.sqrt(0.5)),
                        "variance": 1.0}
    known = direct_bias.figures(found, exact, np.array([[0.0, 1.0]]))
    assert known == {"bias": 1.0, "floor": 0.0, "variance": 1.0}


def test_gradients_of_draws_are_those_of_the_toy():
    potentials = np.stack([toy.POTENTIALS, toy.POTENTIALS])

    def loss(codes):
        return toy.loss(codes) + tf.zeros([1, 2])

    exact = direct_bias.gradients(Exact(), potentials, loss, 1)
    np.testing.assert_allclose(-exact[0], np.tile(toy.EXACT, (2, 1)), atol=1e-5)
    estimator = direct_bias._estimator("direct", 0.5, None)
    found = direct_bias.gradients(estimator, potentials, loss, 5000)
    assert found.shape == (5000, 2, 5)
    table = np.tile(-toy.THETA, (2, 1))
    mean = direct_bias._known_mean("direct", 0.5, potentials, table)
    np.testing.assert_allclose(found.mean(axis=0), mean, atol=0.06)
    np.testing.assert_allclose(
        found.var(axis=0).sum(axis=-1), 2.20, rtol=0.1)


def test_two_sides_have_less_bias():
    one, two = (direct_bias.run(estimator=name, value=0.05, **SMALL)
                for name in ("direct", "two_sided"))
    assert two["bias"] < one["bias"] and one["norm"] == two["norm"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gumbel_softmax", "straight_through",
                                  "score_function"])
def test_other_estimators_have_a_floor(name):
    found = direct_bias.run(estimator=name, value=0.5, **SMALL)
    assert found["floor"] > 0 and np.isfinite(found["bias"])
    if name == "score_function":
        assert found["bias"] < 3 * found["floor"]


def test_curves_are_the_rows_in_order():
    rows = [{"label": label, "scores": [{"bias": 1.0, "floor": 0.0, "variance": 2.0}]}
            for label in ("direct, epsilon 1", "direct, epsilon 0.1",
                          "Gumbel-softmax, tau 1", "score function")]
    lines = direct_bias.curves({"rows": rows})["lines"]
    assert list(lines) == ["direct", "Gumbel-softmax"]
    np.testing.assert_array_equal(lines["direct"], [[0.1, 1, 0, 2], [1, 1, 0, 2]])
