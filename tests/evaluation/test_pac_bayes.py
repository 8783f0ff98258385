"""Bounds against closed forms, and two roads to one certificate."""

import keras
import numpy as np
import pytest

from bdlzoo.evaluation import pac_bayes
from bdlzoo.layers import DenseExemplar, DenseFlipout, NormalPrior
from bdlzoo.methods import Deterministic, PACBayes
from bdlzoo.networks import MLP

RISKS = np.linspace(0, 1, 21)[:, None]
COSTS = np.array([0.0, 1e-4, 0.01, 0.1, 1.0, 10.0])
X = np.random.default_rng(0).normal(size=(60, 5)).astype("float32")
Y = (X[:, 0] + X[:, 1] > 0).astype("int32")


def _model(layer=DenseExemplar, **options):
    options = {"init_scale": 0.5, **options}
    network = MLP((5,), (8,), 2, layer=lambda units, **kwargs: layer(
        units, use_bias=False, **options, **kwargs))
    model = PACBayes(network, seed=0)
    model.build((None, 5))
    return model


def test_inverse_has_its_closed_forms_and_its_order():
    inverse = pac_bayes.kl_inverse(RISKS, COSTS)
    np.testing.assert_allclose(inverse[0], -np.expm1(-COSTS), atol=1e-12)
    np.testing.assert_allclose(inverse[:, 0], RISKS[:, 0], atol=1e-7)
    assert (np.diff(inverse, axis=0) >= 0).all()
    assert (np.diff(inverse, axis=1) >= 0).all()
    assert pac_bayes.kl_inverse(1.0, 0.1) == 1.0


def test_inverse_lies_where_the_divergence_is_the_bound():
    risks, costs = RISKS[1:-1], COSTS[1:-1]
    p = pac_bayes.kl_inverse(risks, costs)
    back = risks * np.log(risks / p) + (1 - risks) * np.log((1 - risks) / (1 - p))
    inside = p < 1 - 1e-6
    np.testing.assert_allclose(back[inside], np.broadcast_to(costs, p.shape)[inside],
                               rtol=1e-6)


def test_scale_of_the_bounds():
    """60,000 rows and 261 nats are worth something, 5,558 nats are not."""
    np.testing.assert_allclose(pac_bayes.complexity(261, 60_000, 0.05), 0.0045,
                               atol=5e-5)
    assert round(float(pac_bayes.kl_bound(0.02, 261, 60_000, 0.05)), 4) == 0.0363
    assert round(float(pac_bayes.mcallester(0, 261, 60_000, 0.05)), 3) == 0.047
    assert round(float(pac_bayes.complexity(5558, 60_000, 0.05)), 3) == 0.093
    assert round(float(pac_bayes.mcallester(0, 5558, 60_000, 0.05)), 3) == 0.215


def test_bounds_are_above_the_risk_and_in_order():
    for kl in (0.0, 10.0, 1000.0):
        arguments = RISKS[:, 0], kl, 10_000, 0.05
        tight = pac_bayes.kl_bound(*arguments)
        assert (tight >= RISKS[:, 0]).all()
        assert (tight <= pac_bayes.mcallester(*arguments)).all()
        assert (tight <= pac_bayes.lambda_bound(*arguments)).all()


def test_best_weight_is_best():
    arguments = 0.05, 100.0, 10_000, 0.05
    grid = np.linspace(0.01, 1.99, 2000)
    values = pac_bayes.lambda_bound(*arguments, weight=grid)
    best = pac_bayes.lambda_bound(*arguments)
    assert best <= values.min()
    np.testing.assert_allclose(best, values.min(), rtol=1e-5)
    assert abs(pac_bayes.best_weight(*arguments) - grid[values.argmin()]) < 1e-3
    assert np.isfinite(pac_bayes.lambda_bound(0.0, 100.0, 10_000, 0.05))


def test_impossible_numbers_are_refused():
    for function, arguments, words in (
            (pac_bayes.kl_inverse, (1.1, 0.1), "risk=1.1"),
            (pac_bayes.kl_inverse, (-0.1, 0.1), "risk=-0.1"),
            (pac_bayes.kl_inverse, (np.nan, 0.1), "risk=nan"),
            (pac_bayes.kl_inverse, (0.1, -1.0), "bound=-1"),
            (pac_bayes.kl_bound, (0.1, -1.0, 10, 0.1), "kl=-1"),
            (pac_bayes.mcallester, (0.1, 1.0, 10, 0.0), "delta=0"),
            (pac_bayes.mcallester, (0.1, 1.0, 10, 1.0), "delta=1"),
            (pac_bayes.mcallester, (0.1, 1.0, 0, 0.1), "num_data=0"),
            (pac_bayes.lambda_bound, (0.1, 1.0, 10, 0.1, 2.0), "weight=2")):
        with pytest.raises(ValueError, match=words):
            function(*arguments)


def test_both_estimators_find_one_risk():
    """The spread of coherent draws is that of whole networks: it is wider."""
    model = _model()
    rows = pac_bayes.risk_of_rows(model, X, Y, 50)
    draws = np.array([pac_bayes.risk_of_draws(model, X, Y, 50, seed=s)
                      for s in range(12)])
    error = np.hypot(draws.std(ddof=1) / 12**0.5, 0.5 / (50 * len(Y))**0.5)
    assert 0.05 < rows < 0.95 and draws.std() > 0
    assert abs(rows - draws.mean()) < 4 * error


def test_rows_of_a_pass_are_independent(monkeypatch):
    """Errors among 100 equal rows are binomial, and no two passes are one."""
    passes = []
    count = pac_bayes._errors
    monkeypatch.setattr(pac_bayes, "_errors", lambda *args: (
        passes.append(count(*args)) or passes[-1]))
    x, y = np.repeat(X[:1], 100, axis=0), np.repeat(Y[:1], 100)
    mean = pac_bayes.risk_of_rows(_model(), x, y, 200)
    assert len(passes) == 200 and 0.02 < mean < 0.98
    np.testing.assert_allclose(np.var(passes), 100 * mean * (1 - mean), rtol=0.5)


def test_chunks_and_seeds_of_coherent_draws(monkeypatch):
    model = _model()
    asked = []
    draw = model.sample_outputs
    monkeypatch.setattr(model, "sample_outputs", lambda x, count, seed: (
        asked.append((count, seed)) or draw(x, count, seed)))
    monkeypatch.setattr(pac_bayes, "_OUTPUTS", 40 * 2 * len(X))
    pac_bayes.risk_of_draws(model, X, Y, 100, seed=7)
    assert asked[1:] == [(40, (7, 0)), (40, (7, 1)), (20, (7, 2))]


def test_certificate_adds_up():
    model = _model()
    found = pac_bayes.certificate(model, X, Y, num_draws=20, seed=3)
    assert found.num_draws == 20 * len(Y) and found.num_data == len(Y)
    assert found.risk_mc == pac_bayes.risk_of_rows(model, X, Y, 20, seed=3)
    np.testing.assert_allclose(found.kl, model.kl(), rtol=1e-5)
    np.testing.assert_allclose(found.risk_upper, pac_bayes.kl_inverse(
        found.risk_mc, np.log(2 / 0.01) / 1200))
    for name in ("mcallester", "kl_bound", "lambda_bound"):
        expected = getattr(pac_bayes, name)(found.risk_upper, found.kl, 60, 0.04)
        np.testing.assert_allclose(getattr(found, name), expected)
    assert "delta " in str(found) and "delta_mc " in str(found)
    assert f"{found.kl_bound:.4f}" in str(found) and "0.95" in str(found)


def test_layers_that_share_weights_take_whole_draws():
    """Flipout's rows share their noise: they are not independent."""
    model = _model(DenseFlipout)
    found = pac_bayes.certificate(model, X, Y)
    assert found.num_draws == 500
    assert found.risk_mc == pac_bayes.risk_of_draws(model, X, Y, 500)
    with pytest.raises(ValueError, match="at least 500.*num_draws=499"):
        pac_bayes.certificate(model, X, Y, num_draws=499)
    with pytest.raises(ValueError, match="num_draws=8, of which 480"):
        pac_bayes.certificate(_model(), X, Y, num_draws=8)


def test_what_the_bound_does_not_cover_is_refused():
    plain = Deterministic(MLP((5,), (8,), 2))
    with pytest.raises(ValueError, match="variational layers"):
        pac_bayes.certificate(plain, X, Y)
    with pytest.raises(ValueError, match="probability above 0.*delta=0"):
        pac_bayes.certificate(_model(), X, Y, delta=0.0)
    with pytest.raises(ValueError, match="delta_mc=1"):
        pac_bayes.certificate(_model(), X, Y, delta_mc=1.0)
    free = MLP((5,), (8,), 2, layer="DenseExemplar")  # Biases without a prior.
    with pytest.raises(ValueError, match="2 weights that are not in.*bias"):
        pac_bayes.certificate(PACBayes(free), X, Y)
    for variable in free.trainable_variables:
        variable.trainable = "bias" not in variable.path
    assert pac_bayes.certificate(PACBayes(free), X, Y).kl > 0
    learnt = _model(prior={"type": "NormalPrior", "learn_scale": True})
    with pytest.raises(ValueError, match="not trained.*prior=NormalPrior"):
        pac_bayes.certificate(learnt, X, Y)
    sampled = _model(prior="ScaleMixturePrior")
    with pytest.raises(ValueError, match="prior=ScaleMixturePrior"):
        pac_bayes.certificate(sampled, X, Y)


@pytest.mark.parametrize("transform", ["exp", "softplus"])
def test_nats_are_exact_for_many_weights(transform):
    """Twice the scale of the prior everywhere, and one step away from it."""
    layer = DenseExemplar(1000, scale_transform=transform, init_scale=0.04,
                          prior=NormalPrior(0.02, at_weights=True),
                          use_bias=False)
    model = PACBayes(keras.Sequential([keras.Input((500,)), layer]))
    model.build((None, 500))
    layer.prior.loc.assign(layer.kernel - 0.02)
    x, y = np.zeros((60, 500), "float32"), np.zeros(60, "int32")
    found = pac_bayes.certificate(model, x, y)
    expected = 500_000 * (0.5 * (4 + 1 - 1) - np.log(2))
    np.testing.assert_allclose(found.kl, expected, rtol=1e-6)
