"""Every likelihood through the ways a model is used: fit, calibrate, files, export."""

import json
import subprocess
import sys
import textwrap

import keras
import numpy as np
import pytest

import bdlzoo
from bdlzoo.core import registry
from bdlzoo.likelihoods import (
    Distribution,
    MixtureDensity,
    NegativeBinomial,
    Ordinal,
    Quantiles,
    StudentT,
)
from bdlzoo.methods import MCDropout
from bdlzoo.model import calibrating

RNG = np.random.default_rng(0)
X = RNG.normal(size=(160, 3)).astype("float32")
REAL = (X[:, :1] + 0.3 * RNG.normal(size=(160, 1))).astype("float32")
COUNTS = RNG.poisson(np.exp(0.5 * X[:, :1])).astype("float32")
CASES = {
    "student_t": ("student_t", 1, REAL),
    "student_t_by_input": (StudentT(5.0, learn_df=True, heteroscedastic=True), 2, REAL),
    "laplace": ("laplace", 1, REAL),
    "poisson": ("poisson", 1, COUNTS),
    "negative_binomial": (NegativeBinomial(heteroscedastic=True), 2, COUNTS),
    "mixture_density": (MixtureDensity(2), 6, REAL),
    "ordinal": (Ordinal(3), 1, np.digitize(REAL[:, 0], [-0.5, 0.5])),
    "quantiles": (Quantiles((0.05, 0.5, 0.95)), 3, REAL),
    "gamma": (Distribution("Gamma", {"concentration": "softplus", "rate": "softplus"}),
              2, np.exp(REAL)),
}


def _model(likelihood, outputs):
    network = keras.Sequential([
        keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dropout(0.2),
        keras.layers.Dense(outputs)])
    model = MCDropout(network, likelihood, num_samples=4, seed=0)
    model.compile("adam")
    return model


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_model_is_evaluated_calibrated_saved_served_and_reported(case, tmp_path):
    likelihood, outputs, y = CASES[case]
    model = _model(likelihood, outputs)
    model.fit(X, y, epochs=2, verbose=0)
    logs = model.evaluate(X, y, verbose=0, return_dict=True)
    assert np.isfinite(list(logs.values())).all()
    nll = -np.mean(model.predict_uncertainty(X).log_prob(y))
    np.testing.assert_allclose(logs["nll"], nll, rtol=1e-4)

    classes = case == "ordinal"
    model.calibrate(X, y, method="lac" if classes else "interval", level=0.8)
    prediction = model.predict_uncertainty(X)
    if not classes:
        low, high = prediction.conformal_interval
        assert np.mean((low <= y) & (y <= high)) >= 0.8
        np.testing.assert_allclose(logs["crps"], np.mean(prediction.crps(y)),
                                   rtol=1e-3)

    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    found = again.predict_uncertainty(X).measures(covering=True)
    expected = prediction.measures(covering=True)
    served = _served(model.export(tmp_path / "served"))
    assert set(served) == set(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(served[name], value[:7], rtol=2e-3, atol=1e-4)

    split = bdlzoo.data.Split(X, y)
    result = bdlzoo.evaluation.evaluate(model, split, num_resamples=20)
    np.testing.assert_allclose(result.headline["nll"].value, nll, rtol=1e-4)
    page = bdlzoo.reports.write_report([result], tmp_path / "report")
    assert ("Accuracy" if classes else "CRPS") in page.read_text()


def _served(path):
    """Answer of a SavedModel, in a process that cannot import the zoo."""
    code = textwrap.dedent("""
        import json, sys
        sys.modules["bdlzoo"] = None
        import tensorflow as tf
        rows = tf.constant(json.loads(sys.argv[2]))
        answer = tf.saved_model.load(sys.argv[1]).signatures["serving_default"](rows)
        print(json.dumps({name: value.numpy().tolist()
                          for name, value in answer.items()}))""")
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), json.dumps(X[:7].tolist())],
        capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def test_counts_and_quantiles_have_no_temperature():
    for case in ("poisson", "quantiles"):
        likelihood, outputs, _ = CASES[case]
        likelihood = registry.build(likelihood)
        likelihood.build((None, outputs))
        draws = np.zeros((1, 1, outputs), "float32")
        calibrating.check_method(likelihood, "interval", draws, {})
        with pytest.raises(ValueError, match="method=\"interval\" for this"):
            calibrating.check_method(likelihood, "temperature", draws, {})


def test_a_name_is_a_likelihood():
    for name in ("student_t", "laplace", "poisson", "negative_binomial",
                 "mixture_density", "quantiles"):
        plain = type(registry.build(name)).__name__.lower()
        assert plain == name.replace("_", "")


@pytest.mark.slow
@pytest.mark.parametrize("likelihood, parts", [
    ("poisson", 1), (Quantiles((0.1, 0.5, 0.9)), 3), (MixtureDensity(2), 6),
    (Ordinal(4), 1)])
def test_padding_changes_nothing(likelihood, parts):
    inputs = keras.Input((None, 2))
    hidden = keras.layers.Masking()(inputs)
    network = keras.Model(inputs, keras.layers.Dense(parts)(
        keras.layers.Dropout(0.1)(hidden)))
    model = MCDropout(network, likelihood, num_samples=3, seed=0)
    model.compile("adam")
    x = RNG.normal(size=(20, 5, 2)).astype("float32")
    y = RNG.integers(0, 4, size=(20, 5)).astype("float32")
    padded = np.pad(x, [(0, 0), (0, 3), (0, 0)])
    plain = model.evaluate(x, y, verbose=0, return_dict=True)
    found = model.evaluate(padded, np.pad(y, [(0, 0), (0, 3)]), verbose=0,
                           return_dict=True)
    for name, value in plain.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-4, err_msg=name)
    method = "lac" if isinstance(model.likelihood, Ordinal) else "interval"
    np.testing.assert_allclose(
        model.calibrate(x, y, method=method),
        model.calibrate(padded, np.pad(y, [(0, 0), (0, 3)]), method=method), rtol=1e-4)
