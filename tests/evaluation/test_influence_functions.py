"""Influence against closed forms, retraining, and differences."""

import keras
import numpy as np
import pytest

from bdlzoo.evaluation import Influence, influence, leave_one_out
from bdlzoo.evaluation.refitting import minimum
from tests.evaluation import influence_cases as cases


@pytest.fixture(scope="module")
def found():
    train, test = cases.data()
    return influence(cases.logistic(), train, test, likelihood="categorical")


def test_removal_is_the_closed_form(found):
    assert isinstance(found, Influence) and found.damping == 0.0
    np.testing.assert_allclose(found.removal, cases.removal(), rtol=1e-3, atol=1e-7)
    np.testing.assert_allclose(found.upweight, -cases.ROWS * found.removal)


def test_influences_of_all_rows_sum_to_zero(found):
    total = np.abs(found.removal.sum(axis=0))
    assert (total < 1e-4 * np.abs(found.removal).sum(axis=0)).all()
    np.testing.assert_allclose(found.group(np.arange(cases.ROWS)),
                               found.removal.sum(axis=0))


def test_self_influence_is_positive_and_the_diagonal(found):
    (x, y), _ = cases.data()
    rows = cases.gradients(x, y) + 2 * cases.L2 * cases.weights()
    expected = np.sum(rows * np.linalg.solve(cases.hessian(x), rows.T).T, 1) / len(x)
    own = found.self_influence()
    np.testing.assert_allclose(own, expected, rtol=1e-3, atol=1e-8)
    assert (own > 0).all()


def test_leaving_the_curvature_out_too_is_the_closed_form_and_nearer_the_truth(found):
    rows = np.argsort(-np.abs(found.removal).max(axis=1))[:6]
    better = found.left_out(rows, tolerance=1e-6)
    np.testing.assert_allclose(better, cases.left_out()[rows], rtol=2e-3, atol=1e-6)
    checked = leave_one_out(found, cases.data()[1], rows)
    gaps = [np.linalg.norm(guess - checked.actual)
            for guess in (better, found.removal[rows])]
    assert gaps[0] < gaps[1]


def test_ranked_rows_are_the_largest_effects(found):
    order = np.argsort(found.removal[:, 1])
    np.testing.assert_array_equal(found.ranked(1, 3), order[::-1][:3])
    np.testing.assert_array_equal(found.ranked(1, 3, helpful=False), order[:3])


def test_a_pixel_has_the_effect_of_retraining_on_it(found):
    """The loss of a test row after a small move of a row, by training again."""
    (x, y), (x_test, y_test) = cases.data()
    row, pixel, step = 5, 2, 0.05
    push = found.perturbation(x[row:row + 1], y[row:row + 1], test_row=0)[0]
    losses, at = found.losses, found.vector.numpy()
    hidden = losses.prepare(x_test[:1])

    def after(change):
        moved = x.copy()
        moved[row, pixel] += change
        before, losses.hidden = losses.hidden, losses.prepare(moved)
        vector = minimum(losses, at, max_steps=0, inverse=found.inverse)
        losses.hidden = before
        return float(losses.scores(vector.astype("float32"), hidden, y_test[:1])[0])

    measured = (after(step) - after(-step)) / (2 * step)
    assert push[pixel] / cases.ROWS == pytest.approx(measured, rel=0.05)


@pytest.mark.parametrize("of", [
    "mutual_information", pytest.param("variance", marks=pytest.mark.slow)])
def test_uncertainty_of_a_row_is_explained_too(of):
    train, (x, y) = cases.data()
    model = cases.dropout()
    found = influence(model, train, (x, y), of=of, num_samples=4)
    prediction = model.predict_uncertainty(x, num_samples=4, seed=0)
    name = {"variance": "total_variance"}.get(of, of)
    at = found.vector
    hidden = found.losses.prepare(x)
    np.testing.assert_allclose(found.losses.scores(at, hidden, y, of),
                               getattr(prediction, name), rtol=1e-3, atol=1e-6)
    left = minimum(found.losses, at.numpy(), [7], max_steps=0, inverse=found.inverse)
    change = (found.losses.scores(left.astype("float32"), hidden, y, of)
              - found.losses.scores(at, hidden, y, of)).numpy()
    gap = np.abs(found.removal[7] - change).max()
    assert gap < 0.25 * np.abs(change).max() and np.abs(change).max() > 1e-4


def test_a_model_that_is_not_trained_is_refused():
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
    train, test = cases.data()
    with pytest.raises(ValueError, match="refit.*gradient norm of 0"):
        influence(model, train, test, likelihood="categorical")


def test_kinks_are_refused_where_a_second_derivative_is_needed():
    train, test = cases.data()
    (x, y) = train
    options = dict(num_samples=2, max_gradient=None)
    deep = influence(cases.dropout(), train, test, layers=2, **options)
    with pytest.raises(ValueError, match="softplus"):
        deep.perturbation(x[:1], y[:1], 0)
    last = influence(cases.dropout(), train, test, **options)
    assert last.perturbation(x[:2], y[:2], 0).shape == (2, 4)


def test_unknown_quantities_are_refused():
    with pytest.raises(ValueError, match="of='surprise'"):
        influence(cases.logistic(), *cases.data(), of="surprise",
                  likelihood="categorical")


@pytest.mark.slow
def test_ten_thousand_rows_take_two_minutes_and_two_gigabytes():
    import resource
    import time
    generator = np.random.default_rng(0)
    x = generator.normal(size=(10_100, 500)).astype("float32")
    y = np.argmax(x[:, :10] + 0.5 * generator.normal(size=(10_100, 10)), axis=1)
    model = keras.Sequential([keras.Input((500,)), keras.layers.Dense(
        10, kernel_regularizer="l2", bias_regularizer="l2")])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    found = influence(model, (x[:-100], y[:-100]), (x[-100:], y[-100:]),
                      max_gradient=None, likelihood="categorical")
    assert found.removal.shape == (10_000, 100)
    assert time.process_time() - start < 120
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2 * 2**20
