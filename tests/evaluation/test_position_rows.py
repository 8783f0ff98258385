"""Evaluation of models whose outputs have positions."""

import keras
import numpy as np
import pytest

from bdlzoo.data import Split
from bdlzoo.evaluation import evaluate
from bdlzoo.likelihoods import Categorical, Gaussian
from bdlzoo.methods import Deterministic
from bdlzoo.reports import write_report

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(10, 6, 4, 2)).astype("float32")
Y = RANDOM.integers(0, 3, (10, 6, 4))


def _model(likelihood, shape, outputs=3):
    keras.utils.set_random_seed(0)
    network = keras.Sequential([keras.Input(shape), keras.layers.Dense(outputs)])
    model = Deterministic(network, likelihood, seed=0)
    model.build((None, *shape))
    return model


def test_scores_are_those_of_rows_without_the_ignored_ones():
    y = np.where(RANDOM.random(Y.shape) < 0.2, 9, Y)
    kept = y.ravel() != 9
    maps = evaluate(_model(Categorical(ignore_class=9), (6, 4, 2)), Split(X, y),
                    num_resamples=20)
    rows = evaluate(_model("categorical", (2,)), Split(
        X.reshape(-1, 2)[kept], y.ravel()[kept]), num_resamples=20)
    for name, interval in rows.headline.items():
        np.testing.assert_allclose(maps.headline[name].value, interval.value,
                                   rtol=1e-6, err_msg=name)
    np.testing.assert_allclose(maps.uncertainty["energy"], rows.uncertainty["energy"],
                               rtol=1e-5)
    assert maps.failures == rows.failures
    assert maps.settings["positions that count"] == f"{kept.sum()} of 240"
    assert np.isnan(maps.maps["uncertainty"][y[:6] == 9]).all()


def test_positions_of_a_row_are_resampled_together():
    # All positions of a row are equal, so that there are 10 numbers, not 240.
    x = np.repeat(X[:, :1, :1], 6, 1).repeat(4, 2)
    y = np.repeat(Y[:, :1, :1], 6, 1).repeat(4, 2)
    maps = evaluate(_model("categorical", (6, 4, 2)), Split(x, y), num_resamples=50)
    rows = evaluate(_model("categorical", (2,)), Split(x[:, 0, 0], y[:, 0, 0]),
                    num_resamples=50)
    for name in ("accuracy", "nll", "brier", "ece"):
        np.testing.assert_allclose(maps.headline[name], rows.headline[name],
                                   rtol=1e-4, atol=1e-6, err_msg=name)


def test_numbers_of_positions_are_rows():
    y = RANDOM.normal(size=(10, 6, 4, 1))
    maps = evaluate(_model(Gaussian(), (6, 4, 2), 1), Split(X, y), num_resamples=20)
    rows = evaluate(_model(Gaussian(), (2,), 1), Split(
        X.reshape(-1, 2), y.reshape(-1, 1)), num_resamples=20)
    for name, interval in rows.headline.items():
        np.testing.assert_allclose(maps.headline[name].value, interval.value,
                                   rtol=1e-5, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["images", "sequences", "numbers"])
def test_report_of_positions_is_written(tmp_path, kind):
    if kind == "images":
        found = evaluate(_model("categorical", (6, 4, 2)), Split(X, Y),
                         num_resamples=20)
    elif kind == "sequences":
        found = evaluate(_model("categorical", (4, 2)), Split(X[:, 0], Y[:, 0]),
                         num_resamples=20)
    else:
        found = evaluate(_model(Gaussian(), (6, 4, 2), 1), Split(X, X[..., :1]),
                         num_resamples=20)
    page = write_report([found], tmp_path).read_text()
    assert ("Where is it unsure" in page) == (kind != "sequences")
    assert "Positions that count" in page
    assert (tmp_path / "plots" / "maps.png").exists() == (kind != "sequences")


def test_other_sets_are_refused_for_positions():
    with pytest.raises(ValueError, match="outputs of positions"):
        evaluate(_model("categorical", (6, 4, 2)), Split(X, Y), outside={"a": X})
