"""PAC-Bayes: the objective by hand, and that it falls."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.evaluation import pac_bayes
from bdlzoo.methods import PACBayes
from bdlzoo.networks import MLP

X = np.random.default_rng(0).normal(size=(64, 5)).astype("float32")
Y = (X[:, 0] + X[:, 1] > 0).astype("int32")
KEY = noise.key(0, noise.TRAIN)


def _model(bound="quadratic", network=None, **kwargs):
    network = network or MLP((5,), (8,), 2, layer={
        "type": "DenseExemplar", "init_scale": 0.1})
    model = PACBayes(network, bound=bound, seed=0, **kwargs)
    model.compile(keras.optimizers.Adam(0.02))
    model.build((None, 5))
    model.num_data.assign(640)
    return model


def _logs(model, x=X, y=Y):
    logs, _ = model.objective(x, y, None, KEY)
    return {name: float(value) for name, value in logs.items()}


def _risk(model, p_min):
    """Bounded cross entropy of the model's own draws, in numpy."""
    logits = model.train_draws(X, KEY).numpy().astype("float64")
    logits -= np.logaddexp.reduce(logits, axis=-1, keepdims=True)
    nll = -logits[:, np.arange(len(Y)), Y]
    return nll.mean(), np.minimum(nll, -np.log(p_min)).mean() / -np.log(p_min)


@pytest.mark.parametrize("bound", ["quadratic", "lambda", "mcallester"])
def test_objective_is_the_formula(bound):
    model = _model(bound, delta=0.1, p_min=0.6, kl_weight=0.5, num_train_samples=3)
    logs = _logs(model)
    nll, risk = _risk(model, 0.6)
    np.testing.assert_allclose(logs["nll"], nll, rtol=1e-5)
    np.testing.assert_allclose(logs["bounded_loss"], risk, rtol=1e-5)
    assert risk < nll / -np.log(0.6)  # Some of them are cut off.
    np.testing.assert_allclose(logs["kl"], model.kl(), rtol=1e-6)
    arguments = risk, 0.5 * logs["kl"], 640, 0.1
    cost = pac_bayes.complexity(*arguments[1:])
    expected = {
        "quadratic": (np.sqrt(risk + cost / 2) + np.sqrt(cost / 2))**2,
        "lambda": pac_bayes.lambda_bound(*arguments, weight=1.0),
        "mcallester": pac_bayes.mcallester(*arguments)}[bound]
    np.testing.assert_allclose(logs["loss"], expected, rtol=1e-5)


def test_quadratic_form_relaxes_the_kl_form():
    model = _model()
    for risk in (0.0, 0.02, 0.3):
        loss = float(model.bound_on(risk, 20.0))
        assert loss >= pac_bayes.kl_bound(risk, 20.0, 640, 0.05)
        assert risk > 0.25 or loss <= pac_bayes.mcallester(risk, 20.0, 640, 0.05)


@pytest.mark.parametrize("bound", [
    "lambda", *(pytest.param(name, marks=pytest.mark.slow)
                for name in ("quadratic", "mcallester"))])
def test_bound_falls_in_training(bound):
    model = _model(bound)
    before = _logs(model)
    model.fit(X, Y, batch_size=32, epochs=40, num_data=640, verbose=0)
    after = _logs(model)
    assert after["loss"] < 0.8 * before["loss"]
    assert after["kl"] < before["kl"]


def test_weight_of_the_lambda_form_goes_to_the_best_one():
    model = _model("lambda")
    model.network.trainable = False
    model.compile(keras.optimizers.Adam(0.1))
    # Frozen posterior: the draws still differ from step to step a little.
    model.fit(X, Y, batch_size=64, epochs=150, num_data=640, verbose=0)
    logs = _logs(model)
    best = pac_bayes.best_weight(logs["bounded_loss"], logs["kl"], 640, 0.05)
    np.testing.assert_allclose(float(model.weight), best, rtol=0.02)


def test_regularisers_of_the_network_are_added():
    network = MLP((5,), (8,), 2, layer={
        "type": "DenseExemplar", "bias_regularizer": keras.regularizers.L1(1.0),
        "bias_initializer": "ones"})
    model = _model(network=network)
    logs = _logs(model)
    bound = float(model.bound_on(logs["bounded_loss"], logs["kl"]))
    np.testing.assert_allclose(logs["loss"] - bound, 10.0, rtol=1e-4)


def test_what_has_no_bound_is_refused():
    with pytest.raises(ValueError, match="likelihood of classes.*gaussian"):
        _model(likelihood="gaussian")
    with pytest.raises(ValueError, match="bound='kl'"):
        _model("kl")
    with pytest.raises(ValueError, match="p_min=0"):
        _model(p_min=0.0)
    with pytest.raises(ValueError, match="delta=1"):
        _model(delta=1.0)
    with pytest.raises(ValueError, match="variational layers.*mlp"):
        _model(network=MLP((5,), (8,), 2))
    with pytest.raises(ValueError, match="no weights of rows"):
        _model().fit(X, Y, sample_weight=np.ones(64), verbose=0)
