"""Scores over folds are those of each fold, in the units of its targets."""

import numpy as np
import pytest
import scipy.special
import scipy.stats

from bdlzoo.data import Split
from bdlzoo.evaluation import fold_scores as scoring
from bdlzoo.evaluation.fold_scores import fold_scores, merge
from bdlzoo.likelihoods import Gaussian
from bdlzoo.methods import MCDropout
from bdlzoo.networks import MLP
from bdlzoo.surgery.interleaved_network import InterleavedNetwork

SCALES = ((1.0, 2.0), (5.0, 0.1))
NOISE = (0.5, 0.8)


def _model(copies, noise):
    network = MLP((3,), hidden=(5,), outputs=1, dropout=0.5)
    model = MCDropout(InterleavedNetwork(network, copies),
                      Gaussian(noise_scale=noise, copies=copies), num_samples=6, seed=0)
    model.build((None, 3))
    return model


def _rows(count, copies):
    rng = np.random.default_rng(0)
    return Split(rng.normal(size=(count * copies, 3)).astype("float32"),
                 rng.normal(size=count * copies).astype("float32"))


def _expected(draws, y, noise, std):
    """RMSE and NLL of draws `[S, N]` in raw units."""
    log_probs = scipy.stats.norm(draws * std, noise * std).logpdf(y * std)
    nll = np.log(len(draws)) - scipy.special.logsumexp(log_probs, axis=0)
    return np.sqrt(np.mean((std * (y - draws.mean(axis=0)))**2)), nll.mean()


@pytest.mark.parametrize("rows", [4096, 4])
def test_scores_are_those_of_each_fold_in_raw_units(monkeypatch, rows):
    monkeypatch.setattr(scoring, "_ROWS", rows)
    model, split = _model(2, NOISE), _rows(5, 2)
    draws = np.asarray(model.sample_outputs(split.x))[..., 0]
    found = fold_scores(model, split, SCALES)
    each = [_expected(draws[:, f::2], split.y[f::2], NOISE[f], SCALES[f][1])
            for f in range(2)]
    for name, values in zip(("rmse", "nll"), np.transpose(each)):
        np.testing.assert_allclose(found[f"{name}_folds"], values, rtol=1e-5)
        np.testing.assert_allclose(found[name], values.mean(), rtol=1e-5)
        np.testing.assert_allclose(
            found[f"{name}_error"], values.std(ddof=1) / np.sqrt(2), rtol=1e-5)


def test_repeats_are_draws_of_one_prediction():
    model, rows = _model(4, 0.5), _rows(5, 2)
    split = Split(*(np.repeat(part, 2, axis=0) for part in rows))
    draws = np.asarray(model.sample_outputs(split.x))[..., 0]  # [6, 5 * 2 * 2]
    draws = draws.reshape(6, 10, 2).transpose(2, 0, 1).reshape(12, 10)
    found = fold_scores(model, split, SCALES, repeats=2)
    for fold in range(2):
        rmse, nll = _expected(draws[:, fold::2], rows.y[fold::2], 0.5, SCALES[fold][1])
        np.testing.assert_allclose(found["rmse_folds"][fold], rmse, rtol=1e-5)
        np.testing.assert_allclose(found["nll_folds"][fold], nll, rtol=1e-5)


def test_groups_of_folds_are_put_in_order():
    parts = [dict(rmse_folds=[2.0, 0.0], nll_folds=[5.0, 3.0]),
             dict(rmse_folds=[1.0], nll_folds=[4.0])]
    found = merge(parts, [[2, 0], [1]])
    assert found["rmse_folds"] == [0.0, 1.0, 2.0] and found["rmse"] == 1.0
    assert found["nll_folds"] == [3.0, 4.0, 5.0]
    np.testing.assert_allclose(found["nll_error"], 1 / np.sqrt(3))
