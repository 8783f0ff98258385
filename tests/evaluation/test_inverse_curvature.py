"""Solvers: they agree, tell their residuals, and say where they fail."""

import keras
import numpy as np
import pytest

from bdlzoo.evaluation import inverse_curvature
from bdlzoo.evaluation.curvature import Curvature
from bdlzoo.evaluation.inverse_curvature import InverseCurvature
from bdlzoo.evaluation.row_losses import RowLosses
from tests.evaluation import influence_cases as cases


@pytest.fixture(scope="module")
def losses():
    return RowLosses(cases.logistic(), cases.data()[0], likelihood="categorical")


@pytest.mark.parametrize("solver, near, options", [
    ("exact", 1e-5, {}), ("cg", 1e-4, {}),
    ("lissa", 0.05, dict(max_steps=1500, batch_size=40))])
def test_solvers_invert_the_closed_form(losses, solver, near, options):
    (x, y), _ = cases.data()
    vectors = cases.gradients(x[:3], y[:3])
    inverse = InverseCurvature(Curvature(losses), solver, **options)
    found, misses = inverse.solve(vectors)
    expected = np.linalg.solve(cases.hessian(x), vectors.T).T
    assert np.linalg.norm(found - expected) < near * np.linalg.norm(expected)
    told = np.linalg.norm(found @ cases.hessian(x) - vectors, axis=1)
    np.testing.assert_allclose(misses, told / np.linalg.norm(vectors, axis=1),
                               atol=1e-5)


def test_conjugate_directions_invert_in_as_many_steps_as_weights(losses):
    """Steepest descent, without conjugate directions, takes far more."""
    (x, y), _ = cases.data()
    vectors = cases.gradients(x[:3], y[:3])
    inverse = InverseCurvature(Curvature(losses), "cg", max_steps=vectors.shape[1])
    expected = np.linalg.solve(cases.hessian(x), vectors.T).T
    miss = np.linalg.norm(inverse.solve(vectors)[0] - expected)
    assert miss < 1e-3 * np.linalg.norm(expected)


def test_largest_eigenvalue_is_found(losses):
    inverse = InverseCurvature(Curvature(losses, damping=0.3), "lissa")
    expected = np.linalg.eigvalsh(cases.hessian(cases.data()[0][0]))[-1] + 0.3
    assert inverse.largest == pytest.approx(expected, rel=0.02)


def test_lissa_tells_that_it_diverges(losses):
    inverse = InverseCurvature(Curvature(losses, damping=0.01), "lissa", max_steps=1000)
    inverse._largest = inverse.largest / 8  # The scale is too small.
    with pytest.raises(ValueError, match="LiSSA diverged"):
        inverse.solve(np.ones([1, 15]))


@pytest.mark.parametrize("solver", ["exact", "cg"])
def test_negative_curvature_is_told(solver):
    keras.utils.set_random_seed(3)
    model = keras.Sequential([
        keras.Input((4,)), keras.layers.Dense(8, activation="tanh"),
        keras.layers.Dense(3)])
    deep = RowLosses(model, cases.data()[0], "all", likelihood="categorical")
    inverse = InverseCurvature(Curvature(deep, "hessian"), solver)
    with pytest.raises(ValueError, match="negative.*damping"):
        inverse.solve(np.random.default_rng(0).normal(size=(2, deep.head.size)))


def test_too_many_weights_are_refused(losses, monkeypatch):
    monkeypatch.setattr(inverse_curvature, "LARGEST", 14)
    with pytest.raises(ValueError, match="at most 14 weights.*15 weights"):
        InverseCurvature(Curvature(losses), "exact")
    with pytest.raises(ValueError, match="solver='newton'"):
        InverseCurvature(Curvature(losses), "newton")
