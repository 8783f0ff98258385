"""The regressor answers in the units of its targets."""

import numpy as np
import pytest

from tests.sklearn import tables


@pytest.fixture(scope="module")
def trained():
    return tables.regressor().fit(tables.X, tables.NUMBERS)


def test_answers_follow_the_units_of_the_targets(trained):
    moved = tables.regressor().fit(tables.X, 10.0 * tables.NUMBERS + 300.0)
    mean, std = trained.predict(tables.X, return_std=True)
    assert mean.shape == std.shape == (48,)
    moved_mean, moved_std = moved.predict(tables.X, return_std=True)
    np.testing.assert_allclose(moved_mean, 10.0 * mean + 300.0, rtol=1e-4)
    np.testing.assert_allclose(moved_std, 10.0 * std, rtol=1e-3)
    np.testing.assert_allclose(
        moved.predict_interval(tables.X, level=0.8),
        10.0 * np.array(trained.predict_interval(tables.X, level=0.8)) + 300.0,
        rtol=1e-4)


def test_answers_are_those_of_the_model(trained):
    prediction = trained.model_.predict_uncertainty(
        (tables.X - tables.X.mean(axis=0)) / tables.X.std(axis=0))
    scale = np.std(tables.NUMBERS)
    mean, std = trained.predict(tables.X, return_std=True)
    np.testing.assert_allclose(std, scale * prediction.std[:, 0], rtol=1e-4)
    np.testing.assert_allclose(
        mean, scale * prediction.mean[:, 0] + np.mean(tables.NUMBERS), atol=1e-4)
    low, high = trained.predict_interval(tables.X)
    assert (low < mean).all() and (mean < high).all()


def test_likelihoods_get_the_outputs_that_they_need():
    both = np.stack([tables.NUMBERS, -tables.NUMBERS], axis=1)
    model = tables.regressor(likelihood="heteroscedastic_gaussian", epochs=1)
    found = model.fit(tables.X, both)
    assert found.model_.network.output_shape == (None, 4)
    mean, std = found.predict(tables.X, return_std=True)
    assert mean.shape == std.shape == (48, 2)


@pytest.mark.slow
def test_counts_keep_their_units():
    counts = np.floor(np.exp(0.3 * tables.NUMBERS) * 3.0)
    model = tables.regressor(likelihood="poisson", epochs=40).fit(tables.X, counts)
    assert abs(model.predict(tables.X).mean() / counts.mean() - 1.0) < 0.3
