"""Products with the curvature: closed form, symmetry, differences of gradients."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.evaluation.curvature import Curvature
from bdlzoo.evaluation.row_losses import RowLosses
from tests.evaluation import influence_cases as cases

GENERATOR = np.random.default_rng(0)


def _losses(model=None, **options):
    model = cases.dropout("tanh") if model is None else model
    return RowLosses(model, cases.data()[0], num_samples=2, **options)


@pytest.mark.parametrize("kind", ["gauss_newton", "hessian"])
def test_matrix_of_a_logistic_regression_is_the_closed_form(kind):
    losses = _losses(cases.logistic(), likelihood="categorical")
    curvature = Curvature(losses, kind, damping=0.5)
    expected = cases.hessian(cases.data()[0][0]) + 0.5 * np.eye(15)
    np.testing.assert_allclose(curvature.matrix(), expected, atol=2e-6)
    vectors = GENERATOR.normal(size=(4, 15))
    np.testing.assert_allclose(curvature.product(vectors), vectors @ expected,
                               atol=1e-5)


def test_hessian_is_the_difference_of_gradients():
    losses = _losses(layers="all")
    curvature = Curvature(losses, "hessian")
    v = GENERATOR.normal(size=losses.head.size)
    v /= np.linalg.norm(v)
    at, step = curvature.vector.numpy().astype("float64"), 5e-3
    ahead, behind = (losses.objective(at + way * step * v)[1] for way in (1, -1))
    [found] = curvature.product(v[None])
    np.testing.assert_allclose(found, (ahead - behind) / (2 * step), atol=2e-3)
    assert np.abs(found).max() > 0.05


@pytest.mark.parametrize("kind", [
    "gauss_newton", pytest.param("hessian", marks=pytest.mark.slow)])
def test_product_is_symmetric(kind):
    curvature = Curvature(_losses(layers="all"), kind)
    u, v = GENERATOR.normal(size=(2, curvature.size))
    hu, hv = curvature.product(np.stack([u, v]))
    assert v @ hu == pytest.approx(u @ hv, rel=1e-3)
    if kind == "gauss_newton":
        assert u @ hu > 0 and v @ hv > 0


def test_matrix_from_features_is_the_matrix_of_products():
    """Draws of dropout before the last layer have features of their own."""
    curvature = Curvature(_losses(), damping=0.1)
    assert curvature._has_blocks()
    np.testing.assert_allclose(
        curvature.matrix(), curvature.product(np.eye(curvature.size)), atol=1e-5)


def test_batches_of_rows_add_up():
    losses = _losses()
    curvature = Curvature(losses)
    vectors = GENERATOR.normal(size=(2, curvature.size))
    whole = curvature.product(vectors)
    losses.batch = 7
    np.testing.assert_allclose(curvature.product(vectors), whole, atol=1e-5)
    assert tf.executing_eagerly() and len(losses.batches()) == 6


def test_other_kinds_are_refused():
    with pytest.raises(ValueError, match="curvature='fisher'"):
        Curvature(None, "fisher")
